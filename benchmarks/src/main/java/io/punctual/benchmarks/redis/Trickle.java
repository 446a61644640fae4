package io.punctual.benchmarks.redis;

import io.punctual.Message;
import io.punctual.TimedQueue;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;

/** Schedules messages at an even pace, each due after a random delay. */
final class Trickle {
  private final TimedQueue<String> queue;
  private final Duration gap;
  private final Duration shortest;
  private final Duration longest;

  Trickle(TimedQueue<String> queue, Duration gap, Duration shortest, Duration longest) {
    this.queue = queue;
    this.gap = gap;
    this.shortest = shortest;
    this.longest = longest;
  }

  /** Schedules this number of messages. */
  void schedule(int messages) {
    var unused = scheduleWhile(scheduled -> scheduled < messages);
  }

  /** Schedules messages while a condition holds; returns how many. */
  int scheduleWhile(IntPredicate condition) {
    long start = System.nanoTime();
    int scheduled = 0;
    while (condition.test(scheduled)) {
      awaitNanos(start + scheduled * gap.toNanos());
      long delay = ThreadLocalRandom.current().nextLong(shortest.toMillis(), longest.toMillis());
      var unused = queue.async().schedule(Message.of("payload").dueIn(Duration.ofMillis(delay)));
      scheduled++;
    }
    return scheduled;
  }

  private static void awaitNanos(long time) {
    for (long left = time - System.nanoTime(); left > 0; left = time - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
