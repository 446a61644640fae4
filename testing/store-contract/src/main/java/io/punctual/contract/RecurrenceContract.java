package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.Recurrence;
import io.punctual.SettleOutcome;
import io.punctual.TimedQueue;
import io.punctual.spi.Capability;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The store keeps the recurrence of a message, so that any client continues it. */
interface RecurrenceContract {
  Duration DAY = Duration.ofDays(1);
  Duration LEASE = Duration.ofMinutes(1);
  Recurrence DAILY = Recurrence.every(DAY);

  /** Runs a part of a test with a new client, as if a new process ran it. */
  private static void with(TestPartition partition, Consumer<TimedQueue<String>> test) {
    try (Punctual client = partition.client()) {
      test.accept(client.queue(partition.partition().queue(), Codec.string()));
    }
  }

  private static Delivery<String> claim(TestPartition partition, TimedQueue<String> queue) {
    partition.advance(Duration.ofMillis(2));
    List<Delivery<String>> claimed = queue.claim(10, ClaimOptions.DEFAULT.lease(LEASE));
    assertThat(claimed).hasSize(1);
    return claimed.get(0);
  }

  /**
   * Returns an instant some days ago, so that a daily recurrence that begins then has missed
   * occurrences.
   */
  private static Instant first(TestPartition partition) {
    return Instant.ofEpochMilli(partition.past().millis()).minus(DAY.multipliedBy(3));
  }

  private static Instant due(TimedQueue<String> queue) {
    return queue.find("a").orElseThrow().dueAt();
  }

  private static Message<String> message(TestPartition partition, Recurrence recurrence) {
    return Message.of("x")
        .id("a")
        .header("tenant", "t")
        .dueAt(first(partition))
        .recurring(recurrence);
  }

  @Test
  default void recurrence_eachClientContinuesIt(TestPartition partition) {
    Instant first = first(partition);
    with(
        partition,
        queue -> {
          queue.schedule(message(partition, DAILY.catchUp()));
          assertThat(claim(partition, queue).defer(Duration.ZERO)).isEqualTo(SettleOutcome.DONE);
        });
    with(
        partition,
        queue -> {
          Delivery<String> deferred = claim(partition, queue);
          assertThat(deferred.occurrence()).isEqualTo(first);
          deferred.retry(Duration.ZERO, "later");
        });
    with(
        partition,
        queue -> {
          Delivery<String> retried = claim(partition, queue);
          assertThat(retried.occurrence()).isEqualTo(first);
          assertThat(retried.failures()).hasSize(1);
          assertThat(retried.ack()).isEqualTo(SettleOutcome.DONE);
        });
    with(
        partition,
        queue -> {
          Delivery<String> second = claim(partition, queue);
          assertThat(second.occurrence()).isEqualTo(first.plus(DAY));
          assertThat(second.dueAt()).isEqualTo(first.plus(DAY));
          assertThat(second.attempt()).isEqualTo(1);
          assertThat(second.failures()).isEmpty();
          assertThat(second.headers()).isEqualTo(Map.of("tenant", "t"));
          assertThat(second.recurrence()).hasValue(DAILY.catchUp());
          assertThat(second.endRecurrence()).isEqualTo(SettleOutcome.DONE);
          assertThat(queue.counts().pending()).isZero();
        });
  }

  @Test
  default void recurrence_skipsMissedOccurrencesByTheStoresClock(TestPartition partition) {
    Instant first = first(partition);
    with(
        partition,
        queue -> {
          queue.schedule(message(partition, DAILY));
          assertThat(claim(partition, queue).ack()).isEqualTo(SettleOutcome.DONE);
          assertThat(queue.counts().scheduled()).isEqualTo(1);
          if (partition.has(Capability.BROWSE)) {
            assertThat(due(queue)).isEqualTo(first.plus(DAY.multipliedBy(4)));
          }
        });
  }

  @Test
  default void recurrence_ackInTransaction_comesAgainIfItCommits(TestPartition partition) {
    partition.needs(Capability.TRANSACTIONS, Capability.BROWSE);
    Instant first = first(partition);
    with(
        partition,
        queue -> {
          queue.schedule(message(partition, DAILY.catchUp()));
          Delivery<String> delivery = claim(partition, queue);
          try (UserTransaction user = partition.transaction()) {
            delivery.ack(user.transaction());
          }
          assertThat(due(queue)).isEqualTo(first);
          try (UserTransaction user = partition.transaction()) {
            delivery.ack(user.transaction());
            user.commit();
          }
          assertThat(due(queue)).isEqualTo(first.plus(DAY));
          assertThat(claim(partition, queue).occurrence()).isEqualTo(first.plus(DAY));
        });
  }
}
