package io.punctual.benchmarks.journal;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.benchmarks.CpuWatch;
import io.punctual.benchmarks.Sample;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * The lateness of messages that come due at an even pace while many messages are pending. A thread
 * that only sleeps for a millisecond at a time shows the lateness of the machine itself. The first
 * third of the messages is a warm-up for the JIT compiler, and does not count for the lateness.
 */
final class PacedDeliveries {
  static final int PER_SECOND = 10_000;

  private static final int BATCH = 1000;
  private static final int FILL_RATE = 50_000;
  private static final long NAP_NANOS = 1_000_000;
  private static final byte[] PAYLOAD = new byte[100];

  private final int messages;
  private final AtomicInteger delivered = new AtomicInteger();
  private final CountDownLatch all;
  private final Histogram late = new ConcurrentHistogram(3);
  private final Histogram overslept = new ConcurrentHistogram(3);

  PacedDeliveries(int messages) {
    this.messages = messages;
    all = new CountDownLatch(messages);
  }

  List<Sample> measure(Path folder, int pending) throws InterruptedException {
    try (Punctual punctual = Punctual.open("journal:" + folder)) {
      TimedQueue<byte[]> queue = punctual.queue("q", Codec.bytes());
      fill(queue, pending, i -> Message.of(PAYLOAD).dueIn(Duration.ofHours(1).plusMillis(i)));
      Instant first = Instant.now().plusSeconds(2 + messages / FILL_RATE);
      fill(
          queue,
          messages,
          i -> Message.of(PAYLOAD).dueAt(first.plusNanos(i * 1_000_000_000L / PER_SECOND)));
      return deliver(queue);
    }
  }

  private static void fill(TimedQueue<byte[]> queue, int count, IntFunction<Message<byte[]>> make) {
    for (int i = 0; i < count; i += BATCH) {
      List<Message<byte[]>> batch = new ArrayList<>(BATCH);
      for (int k = i; k < Math.min(count, i + BATCH); k++) {
        batch.add(make.apply(k));
      }
      var unused = queue.scheduleAll(batch);
    }
  }

  private List<Sample> deliver(TimedQueue<byte[]> queue) throws InterruptedException {
    Thread sleeper = new Thread(this::nap, "sleeper");
    CpuWatch watch = new CpuWatch();
    try (Worker unused =
        queue.work(
            WorkerOptions.builder().concurrency(64).build(),
            delivery -> delivered(delivery.lateness()))) {
      sleeper.setDaemon(true);
      sleeper.start();
      all.await();
      Sample cpu = watch.cpuOfEach(messages);
      sleeper.interrupt();
      sleeper.join();
      return List.of(
          lateness("lateness p50", late, 50),
          lateness("lateness p99", late, 99),
          lateness("lateness p99.9", late, 99.9),
          lateness("lateness max", late, 100),
          lateness("p99 of a thread that sleeps for 1 ms", overslept, 99),
          cpu);
    }
  }

  private void delivered(Duration lateness) {
    if (delivered.incrementAndGet() > messages / 3) {
      late.recordValue(lateness.toNanos() / 1000);
    }
    all.countDown();
  }

  private void nap() {
    while (!Thread.currentThread().isInterrupted()) {
      long start = System.nanoTime();
      LockSupport.parkNanos(NAP_NANOS);
      long micros = (System.nanoTime() - start - NAP_NANOS) / 1000;
      if (delivered.get() > messages / 3) {
        overslept.recordValue(Math.max(0, micros));
      }
    }
  }

  private static Sample lateness(String metric, Histogram micros, double percentile) {
    return Sample.cost(metric, "ms", micros.getValueAtPercentile(percentile) / 1e3);
  }
}
