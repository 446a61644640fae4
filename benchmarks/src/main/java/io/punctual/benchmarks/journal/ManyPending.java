package io.punctual.benchmarks.journal;

import io.punctual.benchmarks.PartitionCalls;
import io.punctual.benchmarks.Sample;
import io.punctual.journal.JournalStore;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Measures a journal with many pending messages of 100 bytes: the heap of a message, and the time
 * to open the journal. Also compares the cost of a schedule, and the cost of a claim with its ack,
 * with the costs in a journal of ten thousand pending messages. The two journals take turns.
 */
final class ManyPending {
  static final int FEW = 10_000;

  private static final int BATCH = 1000;
  private static final int CLAIM = 256;
  private static final int PARTS = 10;
  private static final int ROUNDS = 9;
  private static final int BATCHES = 20;
  private static final long DAY_MILLIS = TimeUnit.DAYS.toMillis(1);

  private final Random random = new Random(3);
  private final List<Sample> samples = new ArrayList<>();
  private final Path folder;
  private int ids;

  ManyPending(Path folder) {
    this.folder = folder;
  }

  List<Sample> measure(int messages) {
    long empty = usedBytes();
    fillAndCompare(messages);
    reopen(messages, empty);
    return samples;
  }

  private void fillAndCompare(int messages) {
    try (JournalStore few = open("few")) {
      fill(few, FEW);
      long base = usedBytes();
      try (JournalStore many = open("many")) {
        long peak = 0;
        for (int part = 0; part < PARTS; part++) {
          fill(many, messages / PARTS);
          peak = Math.max(peak, usedBytes());
        }
        addCost("heap of a message, at most", "bytes", (double) (peak - base) / messages);
        compare(few, many);
      }
    }
  }

  private void reopen(int messages, long empty) {
    long start = System.nanoTime();
    try (JournalStore many = open("many")) {
      addCost("open", "ms", (System.nanoTime() - start) / 1e6);
      double bytes = (double) (usedBytes() - empty) / messages;
      addCost("heap of a message, opened again", "bytes", bytes);
      long scheduled =
          PartitionCalls.await(PartitionCalls.open(many, "q").partition().counts()).scheduled();
      if (scheduled != messages) {
        throw new IllegalStateException(scheduled + " messages instead of " + messages);
      }
    }
  }

  private void addCost(String metric, String unit, double value) {
    samples.add(Sample.cost(metric, unit, value));
  }

  private JournalStore open(String name) {
    return JournalStore.builder(folder.resolve(name)).open();
  }

  private void fill(JournalStore store, int count) {
    PartitionCalls calls = PartitionCalls.open(store, "q");
    for (int i = 0; i < count; i += BATCH) {
      var unused = calls.apply(batch(this::farAhead));
    }
  }

  private DueTime farAhead() {
    return new DueTime(true, DAY_MILLIS + random.nextLong(DAY_MILLIS));
  }

  private DueTime overdue() {
    return new DueTime(false, random.nextInt(1_000_000));
  }

  private List<Operation> batch(Supplier<DueTime> due) {
    List<Operation> batch = new ArrayList<>(BATCH);
    for (int i = 0; i < BATCH; i++) {
      byte[] payload = new byte[100];
      random.nextBytes(payload);
      batch.add(PartitionCalls.schedule("order-" + (100_000_000 + ids++), due.get(), payload));
    }
    return batch;
  }

  private void compare(JournalStore few, JournalStore many) {
    double[] schedules = new double[ROUNDS];
    double[] claims = new double[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
      Costs ofFew = costs(few);
      Costs ofMany = costs(many);
      schedules[round] = ofMany.schedules() / ofFew.schedules();
      claims[round] = ofMany.claims() / ofFew.claims();
    }
    addCost(
        String.format(Locale.ROOT, "schedule, compared with %,d pending", FEW),
        "times",
        median(schedules));
    addCost("claim and ack, compared with that", "times", median(claims));
  }

  /** The total time of the schedules, and of the claims with their acks, in nanoseconds. */
  private record Costs(double schedules, double claims) {}

  /** Schedules overdue messages, and then claims and acks them. */
  private Costs costs(JournalStore store) {
    PartitionCalls calls = PartitionCalls.open(store, "q");
    List<List<Operation>> batches = new ArrayList<>();
    for (int i = 0; i < BATCHES; i++) {
      batches.add(batch(this::overdue));
    }
    long start = System.nanoTime();
    batches.forEach(calls::apply);
    long scheduled = System.nanoTime();
    for (int acked = 0; acked < BATCHES * BATCH; ) {
      List<Operation> acks = PartitionCalls.acks(calls.claim(CLAIM));
      acked += acks.size();
      var unused = calls.apply(acks);
    }
    return new Costs(scheduled - start, System.nanoTime() - scheduled);
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private static long usedBytes() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
