package io.punctual.journal;

import io.punctual.IfPresent;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.Reply;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Measures a journal with many pending messages of 100 bytes: the memory that each takes, how long
 * the journal takes to open, and the costs of a schedule and of a claim with its ack, in turns with
 * a journal with ten thousand pending messages. Run by {@code -Dtest=Scale
 * "-Dsurefire.argLine=-Xmx590m -XX:MaxDirectMemorySize=8m"}: 56 bytes a message and 64 MiB, heap
 * and direct memory together, show that no more is needed. The property {@code punctual.messages}
 * says how many, ten million by default, for which it needs 2 GB of disk.
 */
final class Scale {
  private static final int FEW = 10_000;
  private static final int BATCH = 1000;
  private static final int ROUNDS = 9;
  private static final int BATCHES = 20;

  private final Random random = new Random(3);
  private final int messages = Integer.getInteger("punctual.messages", 10_000_000);
  private int ids;

  @TempDir Path folder;

  @Test
  void measure() {
    long empty = usedBytes();
    fillAndCompare();
    reopen(empty);
  }

  private void fillAndCompare() {
    try (JournalStore few = open("few")) {
      fill(few, FEW);
      long base = usedBytes();
      try (JournalStore many = open("many")) {
        long begun = System.nanoTime();
        long peak = 0;
        for (int part = 0; part < 10; part++) {
          fill(many, messages / 10);
          peak = Math.max(peak, usedBytes());
        }
        say(
            "scheduled %,d a second, gc included"
                .formatted(messages * 1_000_000_000L / since(begun)));
        say("%.1f bytes of heap a message, at most, while scheduling".formatted(each(peak - base)));
        compare(few, many);
      }
    }
  }

  private void reopen(long empty) {
    long begun = System.nanoTime();
    try (JournalStore many = open("many")) {
      say("opened in %,d ms".formatted(TimeUnit.NANOSECONDS.toMillis(since(begun))));
      say("%.1f bytes of heap a message, opened".formatted(each(usedBytes() - empty)));
      PartitionCounts counts =
          Session.await(Session.of(many, "q").partition().counts().toCompletableFuture());
      say("%,d waiting".formatted(counts.scheduled()));
    }
  }

  private JournalStore open(String name) {
    return JournalStore.builder(folder.resolve(name)).open();
  }

  private void fill(JournalStore store, int count) {
    Session session = Session.of(store, "q");
    for (int i = 0; i < count; i += BATCH) {
      Session.await(session.send(new Call.Apply(batch(TimeUnit.DAYS.toMillis(1)), null)));
    }
  }

  private List<Operation> batch(long withinMillis) {
    List<Operation> batch = new ArrayList<>(BATCH);
    for (int i = 0; i < BATCH; i++) {
      byte[] payload = new byte[100];
      random.nextBytes(payload);
      DueTime due =
          withinMillis == 0
              ? new DueTime(false, random.nextInt(1_000_000))
              : new DueTime(true, withinMillis + random.nextLong(withinMillis));
      batch.add(
          new Operation.Schedule(
              "order-" + (100_000_000 + ids++), due, IfPresent.KEEP, Content.of(payload)));
    }
    return batch;
  }

  private void compare(JournalStore few, JournalStore many) {
    double[] schedules = new double[ROUNDS];
    double[] claims = new double[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
      long[] ofFew = micros(few);
      long[] ofMany = micros(many);
      schedules[round] = (double) ofMany[0] / ofFew[0];
      claims[round] = (double) ofMany[1] / ofFew[1];
    }
    say(
        "a schedule takes %.2f of what it takes with %,d pending"
            .formatted(median(schedules), FEW));
    say("a claim and ack takes %.2f of that".formatted(median(claims)));
  }

  /** Schedules messages that are due at once, and claims and acks them. */
  private long[] micros(JournalStore store) {
    Session session = Session.of(store, "q");
    List<List<Operation>> batches = new ArrayList<>();
    for (int i = 0; i < BATCHES; i++) {
      batches.add(batch(0));
    }
    long begun = System.nanoTime();
    batches.forEach(batch -> Session.await(session.send(new Call.Apply(batch, null))));
    long scheduled = since(begun);
    begun = System.nanoTime();
    for (int acked = 0; acked < BATCHES * BATCH; ) {
      Reply.Claimed claimed = session.claim(256);
      long token = claimed.token();
      List<Operation> acks =
          claimed.messages().stream()
              .<Operation>map(leased -> new Operation.Ack(leased.id(), token))
              .toList();
      acked += acks.size();
      Session.await(session.send(new Call.Apply(acks, null)));
    }
    return new long[] {scheduled / 1000, since(begun) / 1000};
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private double each(long bytes) {
    return (double) bytes / messages;
  }

  private static long since(long begun) {
    return System.nanoTime() - begun;
  }

  private static long usedBytes() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  private static void say(String what) {
    Duration cpu = ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    System.out.println("[" + cpu.toSeconds() + " s of processor] " + what);
  }
}
