package io.punctual.benchmarks.queue;

import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

/** How fast one process schedules and cancels on top of a backlog. Says one figure a line. */
final class ScheduleRates {
  private static final int HOUR_MILLIS = 3_600_000;
  private static final int BATCH = 1_000;
  private static final int IN_FLIGHT = 1_000;
  private static final int[] THREADS = {1, 8, 64};

  private final Orders orders;
  private final AtomicLong number = new AtomicLong();

  /** One call of a thread; returns how many messages it was. */
  @FunctionalInterface
  private interface Call {
    long run() throws Exception;
  }

  ScheduleRates(Orders orders) {
    this.orders = orders;
  }

  void measure() throws Exception {
    try (QueueContender queue = orders.kind().open(orders.url())) {
      say("opened", 0);
      List<Object> handles = Producer.fill(queue, orders.backlog(), HOUR_MILLIS, new Random(1));
      say("filled", handles.size());
      if (System.in.read() < 0) {
        return;
      }
      for (int threads : THREADS) {
        Call one =
            () -> {
              Object unused = queue.schedule(next());
              return 1;
            };
        say(
            "schedule, %d thread%s".formatted(threads, threads == 1 ? "" : "s"),
            rate(threads, one));
      }
      Call batch =
          () -> queue.scheduleAll(LongStream.range(0, BATCH).mapToObj(i -> next()).toList()).size();
      say("schedule, batches of 1,000", rate(1, batch));
      say("schedule, async", asyncRate(queue));
      if (!handles.isEmpty()) {
        say("cancel, 1 thread", cancelRate(queue, handles));
      }
      say("end", 0);
    }
  }

  private Entry next() {
    return Entry.in(HOUR_MILLIS, number.incrementAndGet());
  }

  private double rate(int threads, Call call) throws Exception {
    run(threads, call, orders.measureMillis() / 2);
    return run(threads, call, orders.measureMillis());
  }

  private static double run(int threads, Call call, long millis) throws Exception {
    AtomicLong done = new AtomicLong();
    CountDownLatch ended = new CountDownLatch(threads);
    long start = System.nanoTime();
    long end = start + TimeUnit.MILLISECONDS.toNanos(millis);
    for (int i = 0; i < threads; i++) {
      Thread thread = new Thread(() -> callUntil(end, call, done, ended));
      thread.setDaemon(true);
      thread.start();
    }
    ended.await();
    return done.get() / ((System.nanoTime() - start) / 1e9);
  }

  private static void callUntil(long end, Call call, AtomicLong done, CountDownLatch ended) {
    try {
      while (System.nanoTime() - end < 0) {
        done.addAndGet(call.run());
      }
    } catch (Exception e) {
      throw new IllegalStateException(e);
    } finally {
      ended.countDown();
    }
  }

  private double asyncRate(QueueContender queue) throws Exception {
    Semaphore free = new Semaphore(IN_FLIGHT);
    return rate(
        1,
        () -> {
          free.acquire();
          Object unused =
              queue.scheduleAsync(next()).whenComplete((answer, failure) -> free.release());
          return 1;
        });
  }

  private double cancelRate(QueueContender queue, List<Object> handles) throws Exception {
    Random random = new Random(2);
    return run(
        1,
        () -> {
          boolean unused = queue.cancel(handles.get(random.nextInt(handles.size())));
          return 1;
        },
        orders.measureMillis());
  }

  private static void say(String metric, double value) {
    System.out.println(value + " " + metric);
  }
}
