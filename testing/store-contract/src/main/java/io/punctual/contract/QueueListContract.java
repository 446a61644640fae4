package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Page;
import io.punctual.PauseNote;
import io.punctual.Punctual;
import io.punctual.QueueInfo;
import io.punctual.QueueLimits;
import io.punctual.QueueQuery;
import io.punctual.TimedQueue;
import io.punctual.spi.Capability;
import io.punctual.spi.QueueCounts;
import io.punctual.spi.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests lists of queues by prefix, page by page, with the counts of each queue. */
interface QueueListContract {
  @Test
  default void queues_byPrefix_areListedInPagesWithTheirCounts(TestPartition partition) {
    partition.needs(Capability.PURGE);
    String prefix = "list-" + TestSession.newId();
    List<String> names = IntStream.range(0, 7).mapToObj(i -> prefix + "." + i).toList();
    try (Punctual punctual = partition.client()) {
      try {
        for (int i = 0; i < names.size(); i++) {
          fill(punctual.queue(names.get(i), Codec.string()), i);
        }
        punctual.queue(prefix + "-other", Codec.string()).schedule("x", Duration.ofHours(1));
        for (int limit : List.of(1, 3, 7, 1000)) {
          expect(punctual, prefix + ".", limit, names);
        }
        assertThat(punctual.queues(QueueQuery.of(names.get(2)).limit(10)).items())
            .extracting(QueueInfo::name)
            .containsExactly(names.get(2));
        assertThat(punctual.queues(QueueQuery.of(prefix + "_").limit(10)))
            .isEqualTo(new Page<>(List.of(), Optional.empty()));
        assertThat(punctual.queues(QueueQuery.of(prefix).limit(10)).items())
            .extracting(QueueInfo::name)
            .first()
            .isEqualTo(prefix + "-other");
      } finally {
        names.forEach(punctual::purgeAndDeleteQueue);
        punctual.purgeAndDeleteQueue(prefix + "-other");
      }
    }
  }

  private static void fill(TimedQueue<String> queue, int number) {
    List<Message<String>> messages = new ArrayList<>();
    for (int i = 0; i <= number; i++) {
      messages.add(Message.of("x").dueIn(Duration.ofHours(1)));
    }
    queue.scheduleAll(messages);
  }

  private static void expect(Punctual punctual, String prefix, int limit, List<String> names) {
    List<QueueInfo> all = new ArrayList<>();
    QueueQuery query = QueueQuery.of(prefix).limit(limit);
    Page<QueueInfo> page = punctual.queues(query);
    while (true) {
      assertThat(page.items()).hasSizeBetween(1, limit);
      all.addAll(page.items());
      if (page.next().isEmpty()) {
        break;
      }
      page = punctual.queues(query.after(page.next().get()));
    }
    assertThat(all).extracting(QueueInfo::name).containsExactlyElementsOf(names);
    assertThat(all)
        .extracting(queue -> queue.counts().scheduled())
        .containsExactlyElementsOf(
            IntStream.range(0, names.size()).mapToObj(number -> number + 1L).toList());
    assertThat(all)
        .extracting(QueueInfo::counts)
        .allMatch(counts -> counts.pending() == counts.scheduled() && counts.dead() == 0);
    assertThat(all).allMatch(queue -> queue.partitions() >= 1);
  }

  @Test
  default void counts_ofManyQueues_equalTheCountsOfEach(
      TestPartition partition, TestSession session) {
    List.of("acked", "leased", "buried").forEach(id -> session.schedule(id, partition.past()));
    session.bury(session.hold(10, TestSession.LONG).get(0), "not wanted");
    session.schedule("ready", partition.past());
    session.schedule("far", partition.far());
    if (partition.has(Capability.PAUSE)) {
      partition.partitions().forEach(each -> StoreResults.await(each.pause(true, note())));
    }
    if (partition.has(Capability.LIMITS)) {
      QueueLimits limits = QueueLimits.none().concurrency(partition.whole(5));
      partition.partitions().forEach(each -> StoreResults.await(each.limits(limits)));
    }
    Store store = partition.store();
    String queue = partition.partition().queue();
    List<QueueCounts> counts =
        StoreResults.await(store.counts(List.of("absent-" + queue, queue, queue)));
    QueueCounts expected =
        QueueCounts.sum(
            partition.partitions().stream()
                .map(each -> StoreResults.await(each.counts()))
                .toList());
    assertThat(counts).hasSize(3);
    assertThat(counts.get(0).counts().scheduled()).isZero();
    assertThat(counts.subList(1, 3))
        .usingRecursiveFieldByFieldElementComparatorIgnoringFields("counts.overdueMillis")
        .containsOnly(expected);
    assertThat(counts.get(1).counts().overdueMillis())
        .isBetween(1L, expected.counts().overdueMillis());
    assertThat(expected.counts().leased()).isEqualTo(2);
    assertThat(expected.counts().dead()).isEqualTo(1);
    assertThat(expected.partitions()).isEqualTo(partition.partitions().size());
    assertThat(StoreResults.await(store.counts(List.of()))).isEmpty();
    assertThat(StoreResults.await(store.queues())).doesNotContain("absent-" + queue);
  }

  private static PauseNote note() {
    return new PauseNote("a migration", "ann");
  }

  @Test
  default void queues_badArguments_areRefused(TestPartition partition) {
    try (Punctual punctual = partition.client()) {
      assertThatThrownBy(() -> punctual.queues(QueueQuery.of("a b").limit(10)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("a b");
      assertThatThrownBy(() -> punctual.queues(QueueQuery.of("").after("%")))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> punctual.queues(QueueQuery.of("").limit(1001)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("limit");
    }
  }
}
