package io.punctual.benchmarks.queue;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

/**
 * After a warm-up, takes due messages from a blocking queue with some threads, and logs each
 * message that {@code take} has returned. Prints {@code filled} when all messages are due, waits
 * for a line, and prints {@code taken} when all messages are taken, or when no message was taken
 * for some seconds.
 */
final class Takes {
  private static final int BATCH = 1_000;
  private static final int WARM_UP_THREADS = 8;
  private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(3);
  private static final long PAUSE_MILLIS = 5;

  private final Orders orders;

  /** Receives an element. */
  @FunctionalInterface
  private interface Receiver {
    void receive(byte[] payload);
  }

  Takes(Orders orders) {
    this.orders = orders;
  }

  void run() throws Exception {
    try (QueueContender queue = orders.kind().open(orders.url());
        MessageLog scheduled = new MessageLog(Path.of(orders.scheduledLog()));
        MessageLog taken = new MessageLog(Path.of(orders.deliveredLog()))) {
      fill(queue, Producer.WARM_UP, orders.warmUpCount());
      take(queue.due(), WARM_UP_THREADS, orders.warmUpCount() / 2, payload -> {});
      take(queue.due(), orders.handlers(), orders.warmUpCount() / 2, payload -> {});
      fill(queue, 0, orders.count());
      LongStream.range(0, orders.count()).forEach(i -> scheduled.add(i, WallClock.micros()));
      System.out.println("filled");
      if (System.in.read() < 0) {
        return;
      }
      take(queue.due(), orders.handlers(), orders.count(), taken::add);
      System.out.println("taken");
    }
  }

  private static void fill(QueueContender queue, long first, long count) throws Exception {
    for (long done = 0; done < count; done += BATCH) {
      List<?> unused =
          queue.scheduleAll(
              LongStream.range(first + done, first + Math.min(count, done + BATCH))
                  .mapToObj(number -> BenchMessage.in(0, number))
                  .toList());
    }
    while (queue.due().size() < count) {
      Thread.sleep(PAUSE_MILLIS);
    }
  }

  /**
   * Takes messages on several threads, until {@code count} messages are taken or no message was
   * taken for some seconds. Then interrupts the threads, because they may still wait in an empty
   * queue.
   */
  private static void take(BlockingQueue<byte[]> due, int threads, long count, Receiver receiver)
      throws InterruptedException {
    AtomicLong taken = new AtomicLong();
    AtomicLong started = new AtomicLong();
    RepeatingThreads takers = new RepeatingThreads();
    takers.start(
        threads,
        () -> {
          if (started.incrementAndGet() > count) {
            throw new InterruptedException("all are taken");
          }
          receiver.receive(due.take());
          taken.incrementAndGet();
        });
    awaitTaken(taken, count);
    takers.stop();
  }

  private static void awaitTaken(AtomicLong taken, long count) throws InterruptedException {
    long seen = -1;
    long since = System.nanoTime();
    while (taken.get() < count && System.nanoTime() - since < SILENCE_NANOS) {
      if (taken.get() != seen) {
        seen = taken.get();
        since = System.nanoTime();
      }
      Thread.sleep(PAUSE_MILLIS);
    }
  }
}
