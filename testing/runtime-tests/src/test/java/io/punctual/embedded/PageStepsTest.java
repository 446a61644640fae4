package io.punctual.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.State;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.TimeRange;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests pages of a store that reads ids late, while messages change and ids can't be read. */
class PageStepsTest {
  private static final long NOW = 1_000;
  private static final String UNREADABLE = "";

  private final TreeMap<Integer, Dead> dead = new TreeMap<>();

  private record Dead(String id, long time) {}

  private final PageSearch.Messages<Dead> messages =
      new PageSearch.Messages<>() {
        @Override
        public Dead message(int slot) {
          return dead.get(slot);
        }

        @Override
        public String id(int slot, Dead message) {
          return message.equals(dead.get(slot)) ? message.id() : UNREADABLE;
        }

        @Override
        public Entry entry(int slot, long nowMillis, boolean withContent) {
          Dead message = message(slot);
          return new Entry(
              message.id(), State.DEAD, null, 0, 1, new byte[0], 0, false, message.time(), null);
        }

        @Override
        public Place place(int slot) {
          return dead.containsKey(slot) ? Place.DEAD : Place.FREE;
        }

        @Override
        public long time(int slot) {
          return dead.get(slot).time();
        }
      };

  @Test
  void page_messageLeavesBetweenSteps_nextPageListsTheMessageAfterIt() {
    dead.put(0, new Dead("a", 5));
    dead.put(1, new Dead("b", 7));
    PageSearch<Dead> search = search(Cursor.START, 1);
    search.visit(0, 2);
    dead.remove(0);
    dead.put(2, new Dead("c", 9));
    search.visit(2, 3);
    EntryPage page = search.page();
    assertThat(page.entries()).isEmpty();
    assertThat(ids(Cursor.parse(page.next(), false), 1)).containsExactly("b", "c");
  }

  @Test
  void page_slotGetsAnotherMessageOfTheSameTime_leavesItOut() {
    dead.put(0, new Dead("a", 5));
    dead.put(1, new Dead("b", 6));
    PageSearch<Dead> search = search(Cursor.START, 2);
    search.visit(0, 2);
    dead.put(0, new Dead("c", 5));
    assertThat(search.page().entries()).extracting(Entry::id).containsExactly("b");
  }

  @Test
  void page_onlyUnreadableIds_nextPageContinuesAfterThem() {
    for (int slot = 0; slot < 5; slot++) {
      dead.put(slot, new Dead(UNREADABLE, 5));
    }
    dead.put(5, new Dead("a", 5));
    dead.put(6, new Dead("b", 6));
    assertThat(ids(Cursor.START, 2)).containsExactly("a", "b");
  }

  private List<String> ids(Cursor after, int limit) {
    List<String> ids = new ArrayList<>();
    EntryPage page;
    Cursor cursor = after;
    do {
      PageSearch<Dead> search = search(cursor, limit);
      search.visit(0, dead.lastKey() + 1);
      page = search.page();
      page.entries().forEach(entry -> ids.add(entry.id()));
      Cursor next = Cursor.parse(page.next(), false);
      assertThat(page.next() == null || next.compareTo(cursor) > 0).isTrue();
      cursor = next;
    } while (page.next() != null);
    return ids;
  }

  private PageSearch<Dead> search(Cursor after, int limit) {
    return new PageSearch<>(
        messages, new EntryQuery(State.DEAD, TimeRange.ALL, false, true), after, limit, NOW);
  }
}
