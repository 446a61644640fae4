package io.punctual.benchmarks.http;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.benchmarks.Child;
import io.punctual.benchmarks.Sample;
import io.punctual.server.PunctualServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The process that measures a client of a store, through a server or directly: {@code
 * HttpStoreChild <store> <http|direct> <seconds>}.
 */
final class HttpStoreChild {
  private static final int CALLERS = 64;
  private static final int A_SECOND = 1_000;
  private static final int WARM_UPS = 2;

  private HttpStoreChild() {}

  public static void main(String[] args) throws Exception {
    int seconds = Integer.parseInt(args[2]);
    List<Sample> samples;
    if (args[1].equals("direct")) {
      samples = measure(args[0], seconds);
    } else {
      try (PunctualServer server = HttpServerChild.start(args[0])) {
        samples = measure(server.address().toString(), seconds);
      }
    }
    Child.print(samples);
    System.exit(0);
  }

  private static List<Sample> measure(String url, int seconds) throws InterruptedException {
    List<Sample> samples = new ArrayList<>();
    try (Punctual punctual = Punctual.open(url)) {
      double rate = 0;
      for (int round = 0; round <= WARM_UPS; round++) {
        rate = schedules(punctual.queue("rate", Codec.string()), seconds);
      }
      samples.add(Sample.rate("schedules by 64 threads", "messages/s", rate));
      long[] late = new long[0];
      for (int round = 0; round <= WARM_UPS; round++) {
        late = lateness(punctual.queue("late", Codec.string()), seconds * A_SECOND);
      }
      samples.add(Sample.cost("lateness at 1,000/s, p50", "us", late[late.length / 2] / 1e3));
      samples.add(
          Sample.cost("lateness at 1,000/s, p99", "us", late[late.length * 99 / 100] / 1e3));
    }
    return samples;
  }

  private static double schedules(TimedQueue<String> queue, int seconds)
      throws InterruptedException {
    AtomicLong done = new AtomicLong();
    long begin = System.nanoTime();
    long end = begin + Duration.ofSeconds(seconds).toNanos();
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      Thread caller =
          new Thread(
              () -> {
                while (System.nanoTime() - end < 0) {
                  queue.schedule("payload", Duration.ofHours(1));
                  done.incrementAndGet();
                }
              });
      callers.add(caller);
      caller.start();
    }
    for (Thread caller : callers) {
      caller.join();
    }
    return done.get() * 1e9 / (System.nanoTime() - begin);
  }

  private static long[] lateness(TimedQueue<String> queue, int messages) {
    long[] late = new long[messages];
    AtomicInteger next = new AtomicInteger();
    Random random = new Random(1);
    try (var worker =
        queue.work(
            WorkerOptions.builder().concurrency(CALLERS).build(),
            delivery -> late[next.getAndIncrement()] = delivery.lateness().toNanos())) {
      long begin = System.nanoTime();
      for (int i = 0; i < messages; i++) {
        long at = begin + i * 1_000_000_000L / A_SECOND;
        while (System.nanoTime() - at < 0) {
          LockSupport.parkNanos(Math.min(200_000, at - System.nanoTime()));
        }
        var unused =
            queue.async().schedule("payload", Duration.ofMillis(500 + random.nextInt(500)));
      }
      while (next.get() < messages) {
        LockSupport.parkNanos(1_000_000);
      }
      worker.close();
    }
    Arrays.sort(late);
    return late;
  }
}
