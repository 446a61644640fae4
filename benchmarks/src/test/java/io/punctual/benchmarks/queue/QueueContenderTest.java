package io.punctual.benchmarks.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.kit.redis.RedisProcess;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests each contender except RabbitMQ, which takes ten seconds to start, and BullMQ in Node. */
@Tag("extended")
final class QueueContenderTest {
  private static final long SOON_MILLIS = 300;
  private static final long LATER_MILLIS = 3_600_000;
  private static final long PATIENCE_SECONDS = 20;

  private static RedisProcess redis;

  @BeforeAll
  static void startRedis() {
    redis = RedisProcess.start();
  }

  @AfterAll
  static void stopRedis() {
    redis.close();
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"RABBITMQ", "BULLMQ"})
  void consume_scheduledInEachWay_handedOverWhenDueUnlessCancelled(QueueKind kind)
      throws Exception {
    assumeTrue(QueueSubject.isInstalled(kind), kind::title);
    BlockingQueue<MessageLog.Row> seen = new LinkedBlockingQueue<>();

    try (TrialFolder folder = TrialFolder.open(kind.backend(), redis);
        QueueContender queue = kind.open(folder.broker().url())) {
      queue.consume(2, payload -> seen.add(MessageLog.row(payload)));
      Object later = queue.schedule(BenchMessage.in(LATER_MILLIS, 4));
      Object unused = queue.schedule(BenchMessage.in(SOON_MILLIS, 1));
      unused = queue.scheduleAsync(BenchMessage.in(SOON_MILLIS, 2)).toCompletableFuture().get();
      List<?> all = queue.scheduleAll(List.of(BenchMessage.in(SOON_MILLIS, 3)));
      assertThat(queue.cancel(later)).isTrue();

      assertThat(all).hasSize(1);
      assertThat(List.of(take(seen), take(seen), take(seen)))
          .allMatch(row -> kind.isSeldomPolled() || row.atMicros() >= row.dueMicros())
          .extracting(MessageLog.Row::number)
          .containsExactlyInAnyOrder(1L, 2L, 3L);
    }
  }

  private static MessageLog.Row take(BlockingQueue<MessageLog.Row> seen)
      throws InterruptedException {
    MessageLog.Row row = seen.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(row).isNotNull();
    return row;
  }
}
