package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.deadletter.DeadLetterRetention;
import io.punctual.deadletter.DeadLetters;
import io.punctual.spi.Capability;
import io.punctual.spi.Content;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A retention deletes the oldest dead letters of a queue, by the store's clock, and no others. */
interface RetentionContract {
  DeadLetterRetention ALL = DeadLetterRetention.KEEP_ALL;

  @Test
  default void deleteBeyond_ageAndCount_deletesTheOldestOfAllPartitions(TestPartition partition) {
    partition.needs(Capability.DEAD_LETTERS, Capability.BROWSE);
    try (Punctual client = partition.client()) {
      TimedQueue<String> queue = client.queue(partition.partition().queue(), Codec.string());
      DeadLetters<String> letters = queue.deadLetters();
      long now = partition.session().nowMicros() / 1000;
      restore(partition, now);
      queue.schedule(Message.of("waits").id("alive").dueIn(Duration.ofHours(1)));

      assertThat(letters.deleteBeyond(ALL)).isZero();
      assertThat(letters.deleteBeyond(ALL.withMaxAge(Duration.ofHours(3001)))).isZero();
      assertThat(letters.deleteBeyond(ALL.withMaxCount(2500))).isZero();
      expect(partition, 0, 2500);

      assertThat(letters.deleteBeyond(ALL.withMaxAge(Duration.ofHours(2300)))).isEqualTo(200);
      expect(partition, 200, 2500);
      assertThat(letters.deleteBeyond(ALL.withMaxCount(1100))).isEqualTo(1200);
      expect(partition, 1400, 2500);
      assertThat(letters.deleteBeyond(ALL.withMaxAge(Duration.ofHours(1000)).withMaxCount(1090)))
          .isEqualTo(100);
      expect(partition, 1500, 2500);
      assertThat(letters.deleteBeyond(ALL.withMaxAge(Duration.ofHours(5)).withMaxCount(0)))
          .isEqualTo(1000);
      assertThat(queue.counts().dead()).isZero();
      assertThat(queue.find("alive").orElseThrow().state()).isEqualTo(State.SCHEDULED);
    }
  }

  /** Stores dead letters in all partitions: {@code dead-i} died 2499.5 - i hours ago. */
  private static void restore(TestPartition target, long nowMillis) {
    List<Partition> partitions = target.partitions();
    List<List<Operation>> restores =
        partitions.stream().<List<Operation>>map(each -> new ArrayList<>()).toList();
    for (int i = 0; i < 2500; i++) {
      long died = nowMillis - Duration.ofMinutes(60L * (2499 - i) + 30).toMillis();
      String id = "dead-" + i;
      restores
          .get(Partition.indexOf(id, partitions.size()))
          .add(new Operation.Restore(id, 1, 1, new byte[0], died, Content.of(new byte[10])));
    }
    for (int i = 0; i < partitions.size(); i++) {
      TestSession session = target.newSession(partitions.get(i));
      List<Operation> all = restores.get(i);
      for (int from = 0; from < all.size(); from += 500) {
        session.apply(
            all.subList(from, Math.min(all.size(), from + 500)).toArray(Operation[]::new));
      }
    }
  }

  /**
   * Expects the dead letters with the numbers {@code from}, inclusive, to {@code to}, exclusive.
   */
  private static void expect(TestPartition target, int from, int to) {
    List<String> ids = new ArrayList<>();
    for (Partition each : target.partitions()) {
      String cursor = null;
      do {
        var page = StoreResults.await(each.browse(State.DEAD, cursor, 1000, false));
        page.entries().forEach(entry -> ids.add(entry.id()));
        cursor = page.next();
      } while (cursor != null);
    }
    assertThat(ids)
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(from, to).mapToObj(i -> "dead-" + i).toList());
  }
}
