package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.MessageQuery;
import io.punctual.Page;
import io.punctual.Punctual;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.spi.Partition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the merged listing of several partitions with the newest message first. */
class NewestFirstTest {
  private static final int PARTITIONS = 8;
  private static final MessageQuery NEWEST = MessageQuery.of(State.SCHEDULED).newestFirst();

  private final ManualWorld world = new ManualWorld(PARTITIONS);
  private final Collection<String> requests = new ConcurrentLinkedQueue<>();
  private final Punctual client =
      Punctual.builder()
          .store(RecordedRequests.of(world.store, requests))
          .timer(world.clock)
          .build();
  private final TimedQueue<String> queue = client.queue("orders", Codec.string());
  private final Instant start = world.clock.instant().plusSeconds(60);

  @AfterEach
  void close() {
    client.close(Duration.ZERO);
    world.close();
  }

  private void schedule(List<String> ids) {
    List<Message<String>> messages = new ArrayList<>();
    for (int i = 0; i < ids.size(); i++) {
      messages.add(Message.of("x").id(ids.get(i)).dueAt(start.plusMillis(i)));
    }
    world.queue.scheduleAll(messages);
  }

  private static List<String> ids(int count) {
    return IntStream.range(0, count).mapToObj(i -> "m" + i).toList();
  }

  private static List<String> inPartition(int partition, int count) {
    return IntStream.iterate(0, i -> i + 1)
        .mapToObj(i -> "m" + i)
        .filter(id -> Partition.indexOf(id, PARTITIONS) == partition)
        .limit(count)
        .toList();
  }

  private long browses() {
    long browses = requests.stream().filter("browse"::equals).count();
    requests.clear();
    return browses;
  }

  private List<String> newest(List<String> ids, int from, int count) {
    return IntStream.range(from, from + count).mapToObj(i -> ids.get(ids.size() - 1 - i)).toList();
  }

  @Test
  void pageOfMessagesInAllPartitions_isFullAfterAFewCallsOfEach() {
    List<String> ids = ids(4_000);
    schedule(ids);
    Page<StoredMessage<String>> page = queue.browse(NEWEST.limit(100));
    assertThat(page.items())
        .extracting(StoredMessage::id)
        .containsExactlyElementsOf(newest(ids, 0, 100));
    assertThat(browses()).isLessThanOrEqualTo(2 * PARTITIONS);
    Page<StoredMessage<String>> next =
        queue.browse(NEWEST.limit(100).after(page.next().orElseThrow()));
    assertThat(next.items())
        .extracting(StoredMessage::id)
        .containsExactlyElementsOf(newest(ids, 100, 100));
    assertThat(browses()).isLessThanOrEqualTo(2 * PARTITIONS);
  }

  @Test
  void pageOfMessagesInOnePartition_isFullAfterFewCalls() {
    List<String> ids = inPartition(5, 500);
    schedule(ids);
    assertThat(queue.browse(NEWEST.limit(100)).items())
        .extracting(StoredMessage::id)
        .containsExactlyElementsOf(newest(ids, 0, 100));
    assertThat(browses()).isLessThanOrEqualTo(PARTITIONS + 3);
  }

  @Test
  void messagesOfOneTime_moreThanAPage_areListedOnceInEveryPageSize() {
    world.queue.scheduleAll(
        ids(300).stream().map(id -> Message.of("x").id(id).dueAt(start)).toList());
    for (int limit : new int[] {1, 7, 100, 299, 300, 301}) {
      assertThat(queue.stream(NEWEST.limit(limit)))
          .extracting(StoredMessage::id)
          .as("pages of %d", limit)
          .containsExactlyInAnyOrderElementsOf(ids(300));
    }
  }

  @Test
  void messagesAddedAndRemovedBetweenPages_othersAreListedOnce() {
    schedule(ids(200));
    Page<StoredMessage<String>> page = queue.browse(NEWEST.limit(30));
    List<String> listed = new ArrayList<>();
    page.items().forEach(each -> listed.add(each.id()));
    while (page.next().isPresent()) {
      int round = listed.size();
      queue.schedule(Message.of("x").id("added" + round).dueAt(start.plusMillis(round)));
      queue.cancel(listed.get(listed.size() - 1));
      page = queue.browse(NEWEST.limit(30).after(page.next().get()));
      page.items().forEach(each -> listed.add(each.id()));
    }
    assertThat(listed).doesNotHaveDuplicates();
    assertThat(listed.stream().filter(id -> id.startsWith("m")))
        .containsExactlyElementsOf(newest(ids(200), 0, 200));
  }

  @Test
  void exactlyAPage_hasNoFurtherPage() {
    schedule(ids(20));
    assertThat(queue.browse(NEWEST.limit(20)).next()).isEmpty();
    assertThat(queue.browse(NEWEST.limit(1000)).next()).isEmpty();
    assertThat(queue.browse(NEWEST.limit(19)).next()).isPresent();
    assertThat(world.punctual.queue("empty", Codec.string()).browse(NEWEST).items()).isEmpty();
  }

  @Test
  void cursor_foreignText_isRefused() {
    for (String cursor : List.of("", "x", "0:", "newest:8:1:a", "newest:0:x:a", "newest:0:1")) {
      assertThatThrownBy(() -> queue.browse(NEWEST.after(cursor)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("is not a cursor of this queue");
    }
    assertThatThrownBy(() -> queue.browse(NEWEST.after("newest:0:1:a")))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
