package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.QueueLimits;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.spi.LimitShare;
import io.punctual.spi.Partition;
import io.punctual.spi.ShareLedger;
import io.punctual.spi.ShareLedger.Kind;
import io.punctual.spi.ShareLedger.Transfers;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Tests the shares of the limits after a deletion of the queue that ended half way. */
final class DeletedSharesTest {
  private static final long WHOLE = 3 * LimitShare.UNITS;
  private static final long HALF = LimitShare.UNITS / 2;

  /**
   * A deletion that ended half way has removed a partition that had given half of its share away.
   * When the partition is created again, it begins with a whole share.
   */
  @Test
  void schedule_earlierDeletionEndedHalfWay_nextLookCorrectsTheShares() {
    RedisProcess redis = RedisProcess.sharedAndEmpty();
    try (Punctual punctual = Punctual.open(redis.url());
        RedisStore store = RedisStore.builder().url(redis.url()).open()) {
      TimedQueue<String> queue = punctual.queue("q", Codec.string(), 3);
      queue.setLimits(QueueLimits.none().rate(30, Duration.ofSeconds(1), 6));
      List<? extends Partition> all = PartitionUser.await(store.partitions("q"));
      moveRate(all.get(2), rate -> rate.withGiven(0, HALF));
      moveRate(all.get(0), rate -> rate.withReceived(2, HALF));
      assertThat(units(all)).isEqualTo(WHOLE);
      redis.ask("DEL", "{punctual:q:2}:meta");
      queue.scheduleAll(IntStream.range(0, 1000).mapToObj(i -> Message.of("x")).toList());
      assertThat(units(all)).isEqualTo(WHOLE + HALF);
      try (Worker worker = queue.work(delivery -> {})) {
        Awaitility.await()
            .untilAsserted(
                () -> {
                  assertThat(rate(all.get(2)).givenTo(0)).isGreaterThanOrEqualTo(HALF);
                  assertThat(units(all)).as(worker.queue()).isLessThanOrEqualTo(WHOLE);
                });
      }
    }
  }

  private static void moveRate(Partition partition, UnaryOperator<Transfers> change) {
    ShareLedger before = PartitionUser.await(partition.limitUse()).orElseThrow().ledger();
    ShareLedger after = before.with(Kind.RATE, change.apply(before.rate()));
    assertThat(PartitionUser.await(partition.moveShares(before, after)).orElseThrow().ledger())
        .isEqualTo(after);
  }

  private static Transfers rate(Partition partition) {
    return PartitionUser.await(partition.limitUse()).orElseThrow().ledger().rate();
  }

  private static long units(List<? extends Partition> partitions) {
    return partitions.stream().mapToLong(partition -> rate(partition).units()).sum();
  }
}
