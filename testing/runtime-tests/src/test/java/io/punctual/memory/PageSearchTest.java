package io.punctual.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.State;
import io.punctual.embedded.ClaimLimits;
import io.punctual.embedded.Cursor;
import io.punctual.embedded.PageSearch;
import io.punctual.spi.Content;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.TimeRange;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PageSearchTest {
  private static final long NOW = 1_000;
  private static final Content CONTENT = Content.of(new byte[0]);

  private final PartitionState partition = new PartitionState(NOW, 0, new ClaimLimits());

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 999, 1_000})
  void page_oneAfterTheOther_listEveryItemOnceInOrder(int limit) {
    Random random = new Random(limit);
    Set<Cursor> scheduled = new TreeSet<>();
    Set<Cursor> ready = new TreeSet<>();
    for (int i = 0; i < 2_000; i++) {
      long due = NOW - 5 + random.nextInt(15);
      String id = Integer.toString(random.nextInt(1 << 30), 36) + "-" + i;
      partition.add(id, CONTENT, due);
      (due <= NOW ? ready : scheduled).add(new Cursor(due, id, false));
    }
    assertThat(list(State.SCHEDULED, limit)).isEqualTo(ids(scheduled));
    assertThat(list(State.READY, limit)).isEqualTo(ids(ready));
    assertThat(newestFirst(State.SCHEDULED, limit)).isEqualTo(reversed(ids(scheduled)));
    assertThat(newestFirst(State.READY, limit)).isEqualTo(reversed(ids(ready)));
    assertThat(list(State.LEASED, limit)).isEmpty();
    assertThat(list(State.DEAD, limit)).isEmpty();
  }

  @Test
  void page_asManyAsItHolds_isTheLast() {
    partition.add("a", CONTENT, 2_000);
    partition.add("b", CONTENT, 2_000);
    EntryPage page = search(State.SCHEDULED, Cursor.START, 2).page();
    assertThat(page.entries()).extracting(Entry::id).containsExactly("a", "b");
    assertThat(page.next()).isNull();
  }

  @Test
  void page_itemsChangedDuringTheSearch_leavesThemOutAndGoesOnBehindThem() {
    for (String id : List.of("a", "b", "c", "d", "e")) {
      partition.add(id, CONTENT, 2_000);
    }
    PageSearch<Item> search = search(State.SCHEDULED, Cursor.START, 3);
    partition.remove(found("b"));
    partition.add("b", CONTENT, 2_000);
    partition.move(found("c"), 2_001);
    EntryPage page = search.page();
    assertThat(page.entries()).extracting(Entry::id).containsExactly("a");
    EntryPage next = search(State.SCHEDULED, Cursor.parse(page.next(), false), 3).page();
    assertThat(next.entries()).extracting(Entry::id).containsExactly("d", "e", "c");
    assertThat(next.next()).isNull();
  }

  private static List<String> reversed(List<String> ids) {
    List<String> reversed = new ArrayList<>(ids);
    Collections.reverse(reversed);
    return reversed;
  }

  private List<String> list(State state, int limit) {
    return list(state, Cursor.START, limit);
  }

  private List<String> newestFirst(State state, int limit) {
    return list(state, Cursor.NEWEST, limit);
  }

  private List<String> list(State state, Cursor start, int limit) {
    List<String> ids = new ArrayList<>();
    Cursor cursor = start;
    while (true) {
      EntryPage page = search(state, cursor, limit).page();
      page.entries().forEach(entry -> ids.add(entry.id()));
      if (page.next() == null) {
        return ids;
      }
      assertThat(page.entries()).hasSize(limit);
      cursor = Cursor.parse(page.next(), start.newestFirst());
    }
  }

  private PageSearch<Item> search(State state, Cursor after, int limit) {
    EntryQuery query = new EntryQuery(state, TimeRange.ALL, after.newestFirst(), true);
    PageSearch<Item> search = new PageSearch<>(partition.items(), query, after, limit, NOW);
    search.visit(0, partition.items().end());
    return search;
  }

  private Item found(String id) {
    Item item = partition.find(id);
    assertThat(item).isNotNull();
    return item;
  }

  private static List<String> ids(Set<Cursor> positions) {
    return positions.stream().map(Cursor::id).toList();
  }
}
