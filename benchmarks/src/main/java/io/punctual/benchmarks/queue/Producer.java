package io.punctual.benchmarks.queue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Schedules messages according to its {@link Orders}, and logs each message when the queue has
 * confirmed it.
 */
final class Producer {
  /** The {@link BenchMessage#number} of the first message of the backlog. */
  private static final long BACKLOG = 1L << 40;

  /** The {@link BenchMessage#number} of the first message of the warm-up. */
  static final long WARM_UP = 1L << 41;

  /** What precedes the number of messages of the warm-up, on a line of its own. */
  static final String FILLED = "filled ";

  private static final int BATCH = 1_000;
  private static final int MAX_HANDLES = 100_000;
  private static final int MAX_IN_FLIGHT = 5_000;
  private static final int HOUR_MILLIS = 3_600_000;
  private static final int MIN_DELAY = 1_000;
  private static final int MAX_DELAY = 5_000;
  private static final int FIRST_ROUND = 1_250;
  private static final long LONGEST_WARM_UP_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long PAUSE_MILLIS = 5;
  private static final long PACE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final Orders orders;
  private final QueueContender queue;
  private final MessageLog log;
  private final Random random = new Random(1);

  Producer(Orders orders, QueueContender queue, MessageLog log) {
    this.orders = orders;
    this.queue = queue;
    this.log = log;
  }

  void run() throws Exception {
    List<Object> unused = fill(queue, orders.backlog(), 0, random);
    System.out.println(FILLED + warmUp());
    if (orders.perSecond() > 0) {
      steady(0, orders.count(), orders.perSecond(), MIN_DELAY, MAX_DELAY);
    } else {
      atOnce();
    }
  }

  /**
   * Schedules messages due between {@code afterMillis} and an hour later. Returns arguments of
   * {@link QueueContender#cancel} for an evenly spread sample of the messages.
   */
  static List<Object> fill(QueueContender queue, long count, int afterMillis, Random random)
      throws Exception {
    List<Object> handles = new ArrayList<>();
    int step = (int) Math.max(1, count / MAX_HANDLES);
    for (long done = 0; done < count; done += BATCH) {
      List<BenchMessage> messages = new ArrayList<>();
      for (long i = done; i < Math.min(count, done + BATCH); i++) {
        messages.add(BenchMessage.in(afterMillis + random.nextInt(HOUR_MILLIS), BACKLOG + i));
      }
      List<?> answers = queue.scheduleAll(messages);
      for (int i = 0; i < answers.size(); i += step) {
        handles.add(answers.get(i));
      }
    }
    return handles;
  }

  /**
   * Performs work like that of the measurement, so that JIT compilation is finished before the
   * measurement. Returns the number of messages.
   */
  private long warmUp() throws Exception {
    if (orders.perSecond() > 0) {
      steady(WARM_UP, orders.warmUpCount(), orders.warmUpRate(), 1, MIN_DELAY);
      return orders.warmUpCount();
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(orders.warmUpSeconds());
    long done = 0;
    long missing = 0;
    for (long size = FIRST_ROUND; System.nanoTime() - end < 0; ) {
      long dueAt = System.currentTimeMillis() + MIN_DELAY;
      atOnce(WARM_UP + done, size, dueAt);
      done += size;
      long late = System.currentTimeMillis() - dueAt;
      TimeUnit.MILLISECONDS.sleep(-late);
      long start = System.nanoTime();
      missing += awaitWarmUp(done - missing, end);
      if (late < 0 && System.nanoTime() - start < quickRoundNanos()) {
        size = Math.min(2 * size, orders.warmUpRate());
      }
    }
    TimeUnit.MILLISECONDS.sleep(done > 0 ? 2 * MIN_DELAY : 0);
    return done;
  }

  private long quickRoundNanos() {
    return TimeUnit.SECONDS.toNanos(orders.kind().isSeldomPolled() ? 10 : 1);
  }

  /**
   * Waits until so many messages of the warm-up are delivered, so that the measured messages of a
   * slow contender do not wait behind them. Gives up when nothing was delivered for some seconds,
   * or a minute after the end of the warm-up. Returns how many were not delivered; a contender may
   * have lost them.
   */
  private long awaitWarmUp(long count, long end) throws Exception {
    long silence = TimeUnit.SECONDS.toNanos(orders.kind().isSeldomPolled() ? 15 : 5);
    long since = System.nanoTime();
    long seen = -1;
    while (seen < count
        && System.nanoTime() - since < silence
        && System.nanoTime() - end < LONGEST_WARM_UP_NANOS) {
      long now = MessageLog.count(Path.of(orders.deliveredLog()));
      if (now != seen) {
        seen = now;
        since = System.nanoTime();
      }
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    }
    return Math.max(0, count - Math.max(0, seen));
  }

  private void atOnce() throws Exception {
    queue.holdBack(Duration.ofMillis(orders.dueInMillis()));
    atOnce(0, orders.count(), System.currentTimeMillis() + orders.dueInMillis());
  }

  private void atOnce(long first, long count, long dueAt) throws Exception {
    for (long done = 0; done < count; done += BATCH) {
      List<BenchMessage> messages = new ArrayList<>();
      for (long i = done; i < Math.min(count, done + BATCH); i++) {
        messages.add(BenchMessage.at(dueAt, first + i));
      }
      List<?> unused = queue.scheduleAll(messages);
      messages.stream()
          .filter(message -> isCounted(message.number()))
          .forEach(message -> log.add(message.number(), message.dueMicros()));
    }
  }

  private void steady(long first, long count, long perSecond, int minDelay, int maxDelay)
      throws InterruptedException {
    Semaphore free = new Semaphore(MAX_IN_FLIGHT);
    long start = System.nanoTime();
    for (long i = 0; i < count; i++) {
      sleepUntil(start + i * TimeUnit.SECONDS.toNanos(1) / perSecond);
      free.acquire();
      BenchMessage message = BenchMessage.in(random.nextInt(minDelay, maxDelay), first + i);
      Object unused =
          queue
              .scheduleAsync(message)
              .whenComplete(
                  (answer, failure) -> {
                    if (failure == null && isCounted(message.number())) {
                      log.add(message.number(), message.dueMicros());
                    }
                    free.release();
                  });
    }
    free.acquire(MAX_IN_FLIGHT);
  }

  /**
   * Returns whether a message is part of the measurement, and not of the backlog or the warm-up.
   */
  static boolean isCounted(long number) {
    return number < BACKLOG;
  }

  /**
   * Waits until {@code time}, in sleeps of at least a millisecond: shorter sleeps are imprecise.
   */
  private static void sleepUntil(long time) {
    long left = time - System.nanoTime();
    while (left > 0) {
      LockSupport.parkNanos(Math.max(left, PACE_NANOS));
      left = time - System.nanoTime();
    }
  }
}
