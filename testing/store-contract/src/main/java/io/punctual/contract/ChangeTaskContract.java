package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Due;
import io.punctual.Message;
import io.punctual.MessageQuery;
import io.punctual.Punctual;
import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.spi.Capability;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.Partition;
import io.punctual.spi.TimeRange;
import io.punctual.task.Checkpoint;
import io.punctual.task.MessageChange;
import io.punctual.task.MessageFilter;
import io.punctual.task.TaskOptions;
import io.punctual.task.TaskProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests tasks that change the waiting messages of a filter, and the listing that they use. */
interface ChangeTaskContract {
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 1000})
  default void browse_scheduledWithReady_isOneListingInTheOrderOfDueTimes(
      int pageSize, TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE);
    session.schedule("leased", partition.past());
    session.claimOne();
    List.of("b", "a").forEach(id -> session.schedule("ready-" + id, partition.past(1)));
    session.schedule("ready-c", partition.past());
    List.of("e", "d").forEach(id -> session.schedule("far-" + id, partition.far()));
    List<String> all = List.of("ready-c", "ready-a", "ready-b", "far-d", "far-e");
    List<String> reversed = new ArrayList<>(all);
    Collections.reverse(reversed);
    for (boolean withContents : new boolean[] {true, false}) {
      EntryQuery waiting = waiting(TimeRange.ALL, false, withContents);
      assertThat(listed(partition, waiting, pageSize)).isEqualTo(all);
      assertThat(listed(partition, waiting(TimeRange.ALL, true, withContents), pageSize))
          .isEqualTo(reversed);
      TimeRange range = new TimeRange(partition.past(1).millis(), partition.far().millis());
      assertThat(listed(partition, waiting.withRange(range), pageSize))
          .containsExactly("ready-a", "ready-b");
      EntryPage page = StoreResults.await(partition.partition().browse(waiting, null, 10));
      assertThat(page.entries())
          .extracting(Entry::state)
          .containsExactly(State.READY, State.READY, State.READY, State.SCHEDULED, State.SCHEDULED);
    }
  }

  private static EntryQuery waiting(TimeRange range, boolean newestFirst, boolean withContents) {
    return new EntryQuery(State.SCHEDULED, true, range, newestFirst, withContents);
  }

  private static List<String> listed(TestPartition partition, EntryQuery query, int pageSize) {
    List<String> ids = new ArrayList<>();
    String cursor = null;
    do {
      EntryPage page = StoreResults.await(partition.partition().browse(query, cursor, pageSize));
      page.entries().forEach(entry -> ids.add(entry.id()));
      assertThat(ids).hasSizeLessThan(100);
      cursor = page.next();
    } while (cursor != null);
    return ids;
  }

  @Test
  default void change_cancel_removesExactlyTheMatches(TestPartition partition) {
    partition.needs(Capability.BROWSE, Capability.CANCEL);
    withQueue(
        partition,
        queue -> {
          fill(partition, queue);
          MessageFilter filter = range(partition, 10, 90).withIdPrefix("a").withHeader("odd", "1");
          expect(change(queue, filter, MessageChange.cancel(), dryRun()), 80, 20, 0);
          assertThat(queue.counts().scheduled()).isEqualTo(100);
          expect(change(queue, filter, MessageChange.cancel(), TaskOptions.DEFAULT), 80, 20, 20);
          expect(change(queue, filter, MessageChange.cancel(), TaskOptions.DEFAULT), 60, 0, 0);
          assertThat(dues(queue)).hasSize(80);
          IntStream.range(0, 100)
              .forEach(
                  i ->
                      assertThat(queue.find(id(i)).isPresent())
                          .as(id(i))
                          .isNotEqualTo(i >= 10 && i < 90 && i % 4 == 1));
        });
  }

  @Test
  default void change_limit_changesTheEarliestOfThePartition(TestPartition partition) {
    partition.needs(Capability.BROWSE, Capability.CANCEL);
    withQueue(
        partition,
        queue -> {
          fill(partition, queue);
          TaskProgress end =
              change(
                  queue,
                  MessageFilter.ALL.withLimit(30),
                  MessageChange.cancel(),
                  TaskOptions.DEFAULT);
          assertThat(end.changed()).isEqualTo(30);
          TaskProgress rest =
              change(
                  queue,
                  MessageFilter.ALL,
                  MessageChange.cancel(),
                  TaskOptions.DEFAULT.after(end.position().orElseThrow()));
          assertThat(rest.changed()).isEqualTo(70);
        });
  }

  /** The messages need more than a page. */
  @ParameterizedTest
  @ValueSource(longs = {7, 1000, -7, -1000})
  default void change_shift_movesEachMessageOnce(long millis, TestPartition partition) {
    partition.needs(Capability.BROWSE, Capability.RESCHEDULE);
    withQueue(
        partition,
        queue -> {
          int count = Partition.MAX_PAGE * partition.partitions().size() + 100;
          fill(partition, queue, count);
          Map<String, Instant> before = dues(queue);
          MessageChange shift = MessageChange.shift(Duration.ofMillis(millis));
          TaskProgress end = change(queue, MessageFilter.ALL, shift, TaskOptions.DEFAULT);
          expect(end, count, count, count);
          before.replaceAll((id, due) -> due.plusMillis(millis));
          assertThat(dues(queue)).isEqualTo(before);
        });
  }

  /** The first task ends after a part of its changes, and only its last checkpoint is known. */
  @ParameterizedTest
  @ValueSource(longs = {1, 7, 40, -1, -7, -40})
  default void change_shiftContinuedFromItsCheckpoint_movesEachMessageOnce(
      long millis, TestPartition partition) {
    partition.needs(Capability.BROWSE, Capability.RESCHEDULE, Capability.PURGE);
    for (int changes : List.of(1, 12, 50, 77, 99)) {
      withQueue(
          partition,
          queue -> {
            fill(partition, queue);
            Map<String, Instant> before = dues(queue);
            MessageChange shift = MessageChange.shift(Duration.ofMillis(millis));
            List<String> saved = new ArrayList<>();
            Checkpoint checkpoint =
                progress -> {
                  saved.add(progress.position().orElseThrow());
                  return CompletableFuture.completedFuture(null);
                };
            MessageFilter part = MessageFilter.ALL.withLimit(changes);
            TaskProgress first =
                change(queue, part, shift, TaskOptions.DEFAULT.checkpoint(checkpoint));
            assertThat(first.changed()).isEqualTo(changes);
            TaskOptions next = TaskOptions.DEFAULT.after(saved.get(saved.size() - 1));
            TaskProgress second = change(queue, MessageFilter.ALL, shift, next);
            assertThat(second.changed()).isEqualTo(100 - changes);
            before.replaceAll((id, due) -> due.plusMillis(millis));
            assertThat(dues(queue)).as("after %d changes", changes).isEqualTo(before);
            assertThat(queue.purge(Set.of(State.SCHEDULED))).isEqualTo(100);
          });
    }
  }

  @Test
  default void change_runNow_makesScheduledMessagesDue(TestPartition partition) {
    partition.needs(Capability.BROWSE, Capability.RESCHEDULE);
    withQueue(
        partition,
        queue -> {
          fill(partition, queue);
          Instant past = Instant.ofEpochMilli(partition.past().millis());
          queue.schedule(Message.of("x").id("ready").dueAt(past));
          expect(
              change(queue, range(partition, 0, 50), MessageChange.runNow(), TaskOptions.DEFAULT),
              50,
              50,
              50);
          partition.advance(Duration.ofMillis(2));
          assertThat(queue.counts().ready()).isEqualTo(51);
          assertThat(queue.counts().scheduled()).isEqualTo(50);
          assertThat(queue.find("ready").orElseThrow().dueAt()).isEqualTo(past);
          MessageFilter ready = MessageFilter.ALL.withState(State.READY);
          assertThatThrownBy(() -> queue.change(ready, MessageChange.runNow(), TaskOptions.DEFAULT))
              .isInstanceOf(IllegalArgumentException.class);
          expect(change(queue, ready, MessageChange.cancel(), TaskOptions.DEFAULT), 51, 51, 51);
          assertThat(queue.counts().scheduled()).isEqualTo(50);
        });
  }

  @Test
  default void change_changedSinceTheListing_isLeftAsItIs(TestPartition partition) {
    partition.needs(Capability.BROWSE, Capability.RESCHEDULE, Capability.CANCEL);
    withQueue(
        partition,
        queue -> {
          Instant past = Instant.ofEpochMilli(partition.past().millis());
          Instant far = Instant.ofEpochMilli(partition.far().millis());
          String leased = inFirstPartition(queue, "leased");
          String moved = inFirstPartition(queue, "moved");
          String gone = inFirstPartition(queue, "gone");
          String same = inFirstPartition(queue, "same");
          for (String id : List.of(leased, moved, gone, same)) {
            queue.schedule(Message.of("x").id(id).dueAt(past));
          }
          ClaimOptions one =
              ClaimOptions.DEFAULT.lease(TestSession.LONG).maxWait(Duration.ofSeconds(10));
          Checkpoint meanwhile =
              progress ->
                  queue
                      .async()
                      .cancel(gone)
                      .thenCompose(done -> queue.async().reschedule(moved, Due.at(far)))
                      .thenCompose(done -> queue.async().reschedule(same, Due.at(far)))
                      .thenCompose(done -> queue.async().claim(1, one))
                      .thenCompose(done -> queue.async().reschedule(same, Due.at(past)));
          TaskProgress end =
              change(
                  queue,
                  MessageFilter.ALL,
                  MessageChange.cancel(),
                  TaskOptions.DEFAULT.checkpoint(meanwhile));
          assertThat(List.of(end.matched(), end.changed(), end.gone(), end.leased()))
              .as("matched, changed, gone, leased")
              .containsExactly(4L, 1L, 2L, 1L);
          assertThat(queue.find(moved).orElseThrow().dueAt()).isEqualTo(far);
          assertThat(queue.find(leased).orElseThrow().isCancelled()).isFalse();
          assertThat(queue.find(same)).isEmpty();
        });
  }

  private static String inFirstPartition(TimedQueue<?> queue, String name) {
    return Stream.iterate(0, i -> i + 1)
        .map(i -> name + "-" + i)
        .filter(id -> Partition.indexOf(id, queue.partitions()) == 0)
        .findFirst()
        .orElseThrow();
  }

  private static void withQueue(TestPartition partition, Consumer<TimedQueue<String>> test) {
    try (Punctual punctual = partition.client()) {
      test.accept(punctual.queue(partition.partition().queue(), Codec.string()));
    }
  }

  /** Schedules 100 messages in an hour, a millisecond apart, or two at the same time. */
  private static void fill(TestPartition partition, TimedQueue<String> queue) {
    fill(partition, queue, 100);
  }

  private static void fill(TestPartition partition, TimedQueue<String> queue, int count) {
    queue.scheduleAll(
        IntStream.range(0, count)
            .mapToObj(
                i ->
                    Message.of("payload")
                        .id(id(i))
                        .header("odd", Integer.toString(i % 2))
                        .dueAt(Instant.ofEpochMilli(partition.far(due(i)).millis())))
            .toList());
  }

  private static String id(int i) {
    return (i % 4 < 2 ? "a-" : "b-") + i;
  }

  private static long due(int i) {
    return i < 50 ? i : 50 + (i - 50) / 2 * 2;
  }

  private static MessageFilter range(TestPartition partition, int from, int to) {
    return MessageFilter.ALL
        .withDueFrom(Instant.ofEpochMilli(partition.far(from).millis()))
        .withDueBefore(Instant.ofEpochMilli(partition.far(to).millis()));
  }

  private static TaskOptions dryRun() {
    return TaskOptions.DEFAULT.dryRun();
  }

  private static TaskProgress change(
      TimedQueue<String> queue, MessageFilter filter, MessageChange change, TaskOptions options) {
    return queue.change(filter, change, options).await();
  }

  private static void expect(TaskProgress end, long examined, long matched, long changed) {
    assertThat(List.of(end.examined(), end.matched(), end.changed()))
        .containsExactly(examined, matched, changed);
    assertThat(end.gone() + end.leased() + end.refused()).isZero();
    assertThat(end.isCancelled()).isFalse();
  }

  private static Map<String, Instant> dues(TimedQueue<String> queue) {
    Map<String, Instant> dues = new TreeMap<>();
    queue.stream(MessageQuery.of(State.SCHEDULED).limit(1000))
        .forEach(message -> dues.put(message.id(), message.dueAt()));
    return dues;
  }
}
