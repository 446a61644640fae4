package io.punctual.benchmarks.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Schedules what the orders say; logs each message once the queue has confirmed it. */
final class Producer {
  /** Backlog messages have numbers from here on. */
  static final long BACKLOG = 1L << 40;

  private static final int BATCH = 1_000;
  private static final int MAX_HANDLES = 100_000;
  private static final int MAX_IN_FLIGHT = 5_000;
  private static final int HOUR_MILLIS = 3_600_000;
  private static final int MIN_DELAY = 1_000;
  private static final int MAX_DELAY = 5_000;
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
    System.out.println("filled");
    if (orders.perSecond() > 0) {
      steady();
    } else {
      atOnce();
    }
  }

  /**
   * Schedules messages that are due in {@code afterMillis} to an hour more; returns some of their
   * handles, evenly spread.
   */
  static List<Object> fill(QueueContender queue, long count, int afterMillis, Random random)
      throws Exception {
    List<Object> handles = new ArrayList<>();
    int step = (int) Math.max(1, count / MAX_HANDLES);
    for (long done = 0; done < count; done += BATCH) {
      List<Entry> entries = new ArrayList<>();
      for (long i = done; i < Math.min(count, done + BATCH); i++) {
        entries.add(Entry.in(afterMillis + random.nextInt(HOUR_MILLIS), BACKLOG + i));
      }
      List<?> answers = queue.scheduleAll(entries);
      for (int i = 0; i < answers.size(); i += step) {
        handles.add(answers.get(i));
      }
    }
    return handles;
  }

  private void atOnce() throws Exception {
    long dueAt = System.currentTimeMillis() + orders.dueInMillis();
    for (long done = 0; done < orders.count(); done += BATCH) {
      List<Entry> entries = new ArrayList<>();
      for (long i = done; i < Math.min(orders.count(), done + BATCH); i++) {
        entries.add(orders.dueInMillis() > 0 ? Entry.at(dueAt, i) : Entry.in(delay(), i));
      }
      List<?> unused = queue.scheduleAll(entries);
      entries.forEach(entry -> log.add(entry.number(), entry.dueMicros()));
    }
  }

  private void steady() throws InterruptedException {
    Semaphore free = new Semaphore(MAX_IN_FLIGHT);
    long start = System.nanoTime();
    for (long number = 0; number < orders.count(); number++) {
      sleepUntil(start + number * TimeUnit.SECONDS.toNanos(1) / orders.perSecond());
      free.acquire();
      Entry entry = Entry.in(delay(), number);
      Object unused =
          queue
              .scheduleAsync(entry)
              .whenComplete(
                  (answer, failure) -> {
                    if (failure == null) {
                      log.add(entry.number(), entry.dueMicros());
                    }
                    free.release();
                  });
    }
    free.acquire(MAX_IN_FLIGHT);
  }

  private int delay() {
    return random.nextInt(MIN_DELAY, MAX_DELAY);
  }

  /** Sleeps in steps that are not too fine for the scheduler. */
  private static void sleepUntil(long time) {
    long left = time - System.nanoTime();
    while (left > 0) {
      LockSupport.parkNanos(Math.max(left, PACE_NANOS));
      left = time - System.nanoTime();
    }
  }
}
