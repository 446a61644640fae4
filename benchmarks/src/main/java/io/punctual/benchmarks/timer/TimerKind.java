package io.punctual.benchmarks.timer;

import io.netty.util.HashedWheelTimer;
import io.punctual.timer.WheelTimer;
import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** The compared timers, with their names in the results. */
public enum TimerKind {
  PUNCTUAL_64US("Punctual, 64 µs tick"),
  PUNCTUAL_1MS("Punctual, 1 ms tick"),
  NETTY_1MS("Netty HashedWheelTimer, 1 ms"),
  KAFKA_1MS("Kafka SystemTimer, 1 ms"),
  AGRONA_1MS("Agrona wheel, 1 ms"),
  EXECUTOR("ScheduledThreadPoolExecutor"),
  DELAY_QUEUE("DelayQueue");

  private final String title;

  TimerKind(String title) {
    this.title = title;
  }

  String title() {
    return title;
  }

  /**
   * Returns n if a measurement cancels only every n-th pending timeout, because a million cancels
   * would take minutes; else 1.
   */
  int cancelStride() {
    return this == DELAY_QUEUE ? 1_000 : 1;
  }

  Contender start() {
    return switch (this) {
      case PUNCTUAL_64US -> new PunctualTimer(WheelTimer.builder().threadName(name()).build());
      case PUNCTUAL_1MS ->
          new PunctualTimer(
              WheelTimer.builder().threadName(name()).tick(Duration.ofMillis(1)).build());
      case NETTY_1MS ->
          new NettyTimer(new HashedWheelTimer(daemon(name()), 1, TimeUnit.MILLISECONDS));
      case KAFKA_1MS -> new KafkaTimer(daemon(name()));
      case AGRONA_1MS -> new AgronaTimer(daemon(name()));
      case EXECUTOR -> new ExecutorTimer(executor(name()));
      case DELAY_QUEUE -> new DelayQueueTimer(daemon(name()));
    };
  }

  private static ThreadFactory daemon(String name) {
    return runnable -> {
      Thread thread = new Thread(runnable, name);
      thread.setDaemon(true);
      return thread;
    };
  }

  /**
   * Returns an executor that is comparable with the other timers: it has a single thread, and
   * removes cancelled tasks.
   */
  private static ScheduledThreadPoolExecutor executor(String name) {
    ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, daemon(name));
    executor.setRemoveOnCancelPolicy(true);
    return executor;
  }
}
