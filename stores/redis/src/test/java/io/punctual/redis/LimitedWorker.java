package io.punctual.redis;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.WorkerOptions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A process with a worker of a queue that has limits. Its arguments are the URL, and the duration
 * of each handler in milliseconds.
 */
final class LimitedWorker {
  static final String QUEUE = "limited";
  static final String READY = "ready";

  private LimitedWorker() {}

  public static void main(String[] args) {
    long millis = Long.parseLong(args[1]);
    WorkerOptions options =
        WorkerOptions.builder().concurrency(20).lease(Duration.ofSeconds(1)).build();
    Punctual.open(args[0])
        .queue(QUEUE, Codec.string())
        .work(options, delivery -> TimeUnit.MILLISECONDS.sleep(millis));
    System.out.println(READY);
    keepRunning();
  }

  /** Keeps the process running, because the threads of a client do not keep it alive. */
  private static void keepRunning() {
    while (true) {
      try {
        TimeUnit.HOURS.sleep(1);
      } catch (InterruptedException e) {
        return;
      }
    }
  }
}
