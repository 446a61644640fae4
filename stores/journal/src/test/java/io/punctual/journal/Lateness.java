package io.punctual.journal;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Measures the lateness of messages that come due at an even pace while many messages are pending.
 * A thread that only sleeps for a millisecond at a time shows the lateness of the machine itself.
 * The first third is not counted: the code is cold. Run by {@code -Dtest=Lateness}; the properties
 * {@code punctual.pace}, {@code punctual.seconds} and {@code punctual.messages} set how many
 * messages come due a second (10,000), for how long (30), and how many are pending besides
 * (1,000,000).
 */
final class Lateness {
  private static final int BATCH = 1000;

  private final int perSecond = Integer.getInteger("punctual.pace", 10_000);
  private final int others = Integer.getInteger("punctual.messages", 1_000_000);
  private final int[] micros = new int[perSecond * Integer.getInteger("punctual.seconds", 30)];
  private final AtomicInteger delivered = new AtomicInteger();
  private final int[] overslept = new int[1_000_000];
  private final AtomicInteger naps = new AtomicInteger();

  @Test
  void measure(@TempDir Path folder) {
    try (Punctual punctual = Punctual.open("journal:" + folder)) {
      TimedQueue<byte[]> queue = punctual.queue("q", Codec.bytes());
      fill(queue);
      run(queue);
    }
  }

  private void fill(TimedQueue<byte[]> queue) {
    for (int i = 0; i < others; i += BATCH) {
      List<Message<byte[]>> batch = new ArrayList<>(BATCH);
      for (int k = 0; k < BATCH; k++) {
        batch.add(Message.of(new byte[100]).dueIn(Duration.ofHours(1).plusMillis(i + k)));
      }
      queue.scheduleAll(batch);
    }
  }

  private void run(TimedQueue<byte[]> queue) {
    Instant first = Instant.now().plusSeconds(2 + micros.length / 50_000);
    for (int i = 0; i < micros.length; i += BATCH) {
      List<Message<byte[]>> batch = new ArrayList<>(BATCH);
      for (int k = 0; k < BATCH; k++) {
        long nanos = (i + k) * 1_000_000_000L / perSecond;
        batch.add(Message.of(new byte[100]).dueAt(first.plusNanos(nanos)));
      }
      queue.scheduleAll(batch);
    }
    System.out.printf(
        Locale.ROOT,
        "scheduled %,d; the first is due in %s%n",
        micros.length,
        Duration.between(Instant.now(), first));
    Thread sleeper = new Thread(this::sleep, "sleeper");
    sleeper.setDaemon(true);
    sleeper.start();
    Duration cpu = cpu();
    try (Worker unused =
        queue.work(
            WorkerOptions.builder().concurrency(64).build(),
            delivery ->
                micros[delivered.getAndIncrement()] =
                    (int) (delivery.lateness().toNanos() / 1000))) {
      while (delivered.get() < micros.length) {
        LockSupport.parkNanos(10_000_000);
      }
      report("messages", Arrays.copyOfRange(micros, micros.length / 3, micros.length));
      int slept = naps.get();
      report("a sleeper", Arrays.copyOfRange(overslept, slept / 3, slept));
      System.out.printf(
          Locale.ROOT,
          "%.1f \u00b5s of processor a message%n",
          cpu().minus(cpu).toNanos() / 1e3 / micros.length);
    }
  }

  private void sleep() {
    while (naps.get() < overslept.length) {
      long begun = System.nanoTime();
      LockSupport.parkNanos(1_000_000);
      overslept[naps.get()] = (int) ((System.nanoTime() - begun) / 1000 - 1000);
      naps.incrementAndGet();
    }
  }

  private static void report(String what, int[] micros) {
    Arrays.sort(micros);
    System.out.printf(
        Locale.ROOT,
        "%s: late by p50 %.2f, p90 %.2f, p99 %.2f, p99.9 %.2f, at most %.2f ms%n",
        what,
        at(micros, 0.5),
        at(micros, 0.9),
        at(micros, 0.99),
        at(micros, 0.999),
        at(micros, 1));
  }

  private static double at(int[] micros, double share) {
    return micros[(int) Math.min(micros.length - 1L, (long) (share * micros.length))] / 1e3;
  }

  private static Duration cpu() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
  }
}
