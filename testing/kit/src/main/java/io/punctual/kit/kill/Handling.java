package io.punctual.kit.kill;

import io.punctual.RetryPolicy;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Handles messages until the role ends. A handler takes a random time, or ends with the role.
 *
 * @param leastMillis the shortest time of a handler
 * @param mostMillis the longest time of a handler, inclusive
 * @param maxAttempts the number of attempts before a message becomes a dead letter
 */
public record Handling(int leastMillis, int mostMillis, int maxAttempts) implements Role {
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final int CONCURRENCY = 16;

  /** Returns the role with handlers that take this time. */
  public static Handling of(int millis) {
    return new Handling(millis, millis, RetryPolicy.DEFAULT.maxAttempts());
  }

  private WorkerOptions options() {
    return WorkerOptions.builder()
        .concurrency(CONCURRENCY)
        .lease(LEASE)
        .retryPolicy(RetryPolicy.DEFAULT.maxAttempts(maxAttempts))
        .build();
  }

  @Override
  public void play(Stage stage) throws InterruptedException {
    try (RecordedClient client = stage.open()) {
      work(client.queue());
    }
  }

  private void work(TimedQueue<String> queue) throws InterruptedException {
    CountDownLatch ended = new CountDownLatch(1);
    Worker worker =
        queue.work(
            options(),
            delivery -> {
              int millis = ThreadLocalRandom.current().nextInt(leastMillis, mostMillis + 1);
              boolean unused = ended.await(millis, TimeUnit.MILLISECONDS);
            });
    try {
      worker.await();
    } finally {
      ended.countDown();
      worker.close();
    }
  }
}
