package io.punctual.benchmarks.redis;

import io.punctual.Message;
import io.punctual.TimedQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Schedules messages for workers, and waits until the workers have settled them. */
final class QueueLoad {
  private static final int BATCH = 1000;
  private static final long PAUSE_MILLIS = 20;
  private static final String PAYLOAD = "x".repeat(100);

  private QueueLoad() {}

  /** Schedules messages with the same due time. */
  static void schedule(TimedQueue<String> queue, int messages, Instant due) {
    schedule(queue, messages, due, Duration.ZERO);
  }

  /**
   * Schedules messages with due times at an even pace: the first at {@code first}, the next {@code
   * apart} later.
   */
  static void schedule(TimedQueue<String> queue, int messages, Instant first, Duration apart) {
    for (int done = 0; done < messages; done += BATCH) {
      List<Message<String>> batch = new ArrayList<>();
      for (int i = done; i < Math.min(messages, done + BATCH); i++) {
        batch.add(Message.of(PAYLOAD).dueAt(first.plus(apart.multipliedBy(i))));
      }
      var unused = queue.scheduleAll(batch);
    }
  }

  /** Waits until workers have settled all messages. */
  static void awaitSettled(TimedQueue<String> queue) throws InterruptedException {
    while (queue.counts().pending() > 0) {
      Thread.sleep(PAUSE_MILLIS);
    }
  }
}
