package io.punctual.benchmarks.queue;

import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

/**
 * Measures, in a single process, the heap before and after a backlog is scheduled, and then, after
 * a line on standard input, the rates of schedule and cancel. Prints each figure on its own line.
 */
final class ScheduleRates {
  private static final int HOUR_MILLIS = 3_600_000;
  private static final int BATCH = 1_000;
  private static final int COLLECTIONS = 3;
  private static final int IN_FLIGHT = 1_000;
  private static final int[] THREADS = {1, 8, 64};

  /**
   * The first warm-up takes this number of times as long as a measurement, because the JIT
   * compilation of a client takes about ten seconds.
   */
  private static final int WARM_UP_TIMES = 5;

  /**
   * The warm-up before each measurement takes this number of times as long. A client that combines
   * calls runs other code with one thread than with eight, which is compiled only then.
   */
  private static final int OWN_WARM_UP_TIMES = 3;

  private static final int WARM_UP_THREADS = 8;

  private final Orders orders;
  private final AtomicLong number = new AtomicLong();

  /** A call that a thread repeats; returns the number of messages of the call. */
  @FunctionalInterface
  private interface Call {
    long run() throws Exception;
  }

  ScheduleRates(Orders orders) {
    this.orders = orders;
  }

  void measure() throws Exception {
    try (QueueContender queue = orders.kind().open(orders.url())) {
      say("opened", heapBytes());
      List<Object> handles = Producer.fill(queue, orders.backlog(), HOUR_MILLIS, new Random(1));
      say("filled", heapBytes());
      if (System.in.read() < 0) {
        return;
      }
      Call one =
          () -> {
            Object unused = queue.schedule(next());
            return 1;
          };
      double unusedRate = run(WARM_UP_THREADS, one, WARM_UP_TIMES * orders.measureMillis());
      for (int threads : THREADS) {
        say(
            String.format(Locale.ROOT, "schedule, %d thread%s", threads, threads == 1 ? "" : "s"),
            rate(threads, one));
      }
      Call batch =
          () -> queue.scheduleAll(LongStream.range(0, BATCH).mapToObj(i -> next()).toList()).size();
      say("schedule, batches of 1,000", rate(1, batch));
      say("schedule, async", asyncRate(queue));
      if (orders.kind().cancels() && !handles.isEmpty()) {
        say("cancel, 1 thread", cancelRate(queue, handles));
      }
      say("end", 0);
    }
  }

  private BenchMessage next() {
    return BenchMessage.in(HOUR_MILLIS, number.incrementAndGet());
  }

  private double rate(int threads, Call call) throws Exception {
    double unusedRate = run(threads, call, OWN_WARM_UP_TIMES * orders.measureMillis());
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

  /**
   * Returns the rate of cancels. Cancels the messages of {@code handles} in random order, for the
   * duration of a measurement, or until all are cancelled.
   */
  private double cancelRate(QueueContender queue, List<Object> handles) throws Exception {
    Collections.shuffle(handles, new Random(2));
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(orders.measureMillis());
    long start = System.nanoTime();
    long done = 0;
    while (done < handles.size() && System.nanoTime() - end < 0) {
      if (!queue.cancel(handles.get((int) done))) {
        throw new IllegalStateException("a pending message could not be cancelled");
      }
      done++;
    }
    return done / ((System.nanoTime() - start) / 1e9);
  }

  /** The used heap after a garbage collection. */
  private static double heapBytes() {
    Runtime runtime = Runtime.getRuntime();
    double used = Double.MAX_VALUE;
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
      used = Math.min(used, (double) (runtime.totalMemory() - runtime.freeMemory()));
    }
    return used;
  }

  private static void say(String metric, double value) {
    System.out.println(value + " " + metric);
  }
}
