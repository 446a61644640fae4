package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Lateness;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.WorkerFigures;
import io.punctual.WorkerInfo;
import io.punctual.kit.process.JavaProcess;
import io.punctual.kit.redis.RedisProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that a process shows the lateness of the workers of two other processes. */
@Tag("extended")
final class WorkerFiguresProcessTest {
  private static final int MESSAGES = 1000;

  private static List<WorkerFigures> figures(Punctual punctual) {
    return punctual.workers().stream().map(WorkerInfo::figures).flatMap(Optional::stream).toList();
  }

  private static Lateness lateness(Punctual punctual) {
    return Lateness.sum(figures(punctual).stream().map(WorkerFigures::lateness).toList());
  }

  @Test
  void latenessOfTwoProcesses_isShownByAThird() {
    try (RedisProcess redis = RedisProcess.start();
        Punctual punctual = Punctual.open(redis.url());
        JavaProcess first = start(redis);
        JavaProcess second = start(redis)) {
      TimedQueue<String> queue = punctual.queue(LimitedWorker.QUEUE, Codec.string());
      queue.pause();
      Instant now = Instant.now();
      queue.scheduleAll(
          IntStream.range(0, MESSAGES)
              .mapToObj(i -> Message.of("m").dueAt(now.minusMillis(30L * i)))
              .toList());
      queue.resume();
      await().atMost(Duration.ofMinutes(1)).until(() -> lateness(punctual).count() == MESSAGES);
      assertThat(figures(punctual)).hasSize(2);
      assertThat((double) lateness(punctual).percentile(99).toMillis())
          .isCloseTo(0.99 * 30 * MESSAGES, withinPercentage(20));
      first.expectAlive();
      second.expectAlive();
    }
  }

  private static JavaProcess start(RedisProcess redis) {
    return JavaProcess.of(LimitedWorker.class)
        .small()
        .arguments(redis.url(), "5")
        .ready(LimitedWorker.READY)
        .start();
  }
}
