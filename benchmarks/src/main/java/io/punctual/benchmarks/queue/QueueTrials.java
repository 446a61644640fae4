package io.punctual.benchmarks.queue;

import io.punctual.benchmarks.Child;
import io.punctual.benchmarks.Sample;
import io.punctual.benchmarks.TrialOutcome;
import io.punctual.benchmarks.queue.MessageLog.Row;
import io.punctual.kit.redis.RedisProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Runs the trials of a queue and computes their results. */
final class QueueTrials {
  private static final int HANDLERS = 64;
  private static final int KILLED_HANDLERS = 8;
  private static final int KILLED_HANDLER_MILLIS = 20;
  private static final Duration LONGEST_DELAY = Duration.ofSeconds(5);

  /**
   * After the last due time, missing messages count as lost when nothing was delivered for this
   * time.
   */
  private static final Duration SILENCE = Duration.ofSeconds(3);

  /** The value of {@link #SILENCE} for a contender that polls every few seconds. */
  private static final Duration POLL_SILENCE = Duration.ofSeconds(15);

  /**
   * The value of {@link #SILENCE} after a kill, for leases: longer than a lease of 30 s, and than
   * two checks of BullMQ, which are 30 s apart.
   */
  private static final Duration LEASE_SILENCE = Duration.ofSeconds(75);

  private static final int MIN_FOR_MEMORY = 10_000;
  private static final int FILL_RATE = 15_000;
  private static final long DRAIN_LEAD_MILLIS = 1_500;

  private final RedisProcess redis;
  private final int warmUpSeconds;
  private final Duration patience;

  /**
   * Creates trials.
   *
   * @param redis the Redis server of all trials
   * @param warmUpSeconds the duration of the warm-up
   * @param patience how long a trial waits for due messages while deliveries continue
   */
  QueueTrials(RedisProcess redis, int warmUpSeconds, Duration patience) {
    this.redis = redis;
    this.warmUpSeconds = warmUpSeconds;
    this.patience = patience;
  }

  private static Duration silence(QueueKind kind) {
    return kind.isSeldomPolled() ? POLL_SILENCE : SILENCE;
  }

  TrialOutcome rates(QueueKind kind, long backlog, long millis) throws Exception {
    try (TrialFolder folder = TrialFolder.open(kind.backend(), redis);
        Child child =
            TrialProcesses.start(
                "rates", orders(kind, folder, backlog, 0, 0, 0, 0, HANDLERS, 0, millis))) {
      List<Sample> samples = new ArrayList<>();
      double emptyHeap = value(child.expect());
      OptionalDouble empty = folder.broker().memoryBytes();
      OptionalDouble emptyTables = folder.broker().tableBytes();
      double filledHeap = value(child.expect());
      OptionalDouble filled = folder.broker().memoryBytes();
      OptionalDouble filledTables = folder.broker().tableBytes();
      if (backlog >= MIN_FOR_MEMORY) {
        if (filled.isPresent()) {
          double bytes = (filled.getAsDouble() - empty.orElseThrow()) / backlog;
          samples.add(Sample.cost("memory of the server for a message", "bytes", bytes));
        } else if (filledTables.isPresent()) {
          double bytes = (filledTables.getAsDouble() - emptyTables.orElseThrow()) / backlog;
          samples.add(Sample.cost("tables and indexes for a message", "bytes", bytes));
        } else if (!kind.isShared()) {
          samples.add(
              Sample.cost("heap for a message", "bytes", (filledHeap - emptyHeap) / backlog));
        }
      }
      return new TrialOutcome(samples, null, null, addRates(child, samples));
    }
  }

  /**
   * Adds a sample for each rate that the process measures. Returns null if the process measured all
   * rates, otherwise the reason why it ended earlier.
   */
  private static @Nullable IOException addRates(Child child, List<Sample> samples) {
    try {
      child.tell();
      for (String line = child.expect(); !line.endsWith(" end"); line = child.expect()) {
        samples.add(Sample.rate(line.split(" ", 2)[1], "messages/s", value(line)));
      }
      return null;
    } catch (IOException e) {
      return e;
    }
  }

  private static double value(String line) {
    return Double.parseDouble(line.split(" ", 2)[0]);
  }

  /**
   * Measures the rate at which due messages are delivered. The time counts from the common due
   * time, or from the end of the scheduling if that is later. If the contender rounds delays up to
   * whole seconds, the time counts from the first delivery, because the contender {@linkplain
   * QueueContender#holdBack holds the messages back}.
   */
  TrialOutcome drain(QueueKind kind, int count) throws Exception {
    long dueIn = DRAIN_LEAD_MILLIS + count * 1_000L / FILL_RATE;
    try (TrialFolder folder = TrialFolder.open(kind.backend(), redis)) {
      Orders orders = orders(kind, folder, 0, warmUpSeconds, count, 0, dueIn, HANDLERS, 0, 0);
      Duration silence = silence(kind).plusMillis(dueIn);
      OptionalDouble cpu;
      OptionalLong cut;
      try (TrialProcesses run = new TrialProcesses(orders)) {
        run.start();
        run.awaitFilled();
        run.awaitProduced();
        cpu = folder.broker().cpuSeconds();
        cut = run.awaitDelivered(folder, count, silence, patience.plusMillis(dueIn));
        cpu = since(cpu, folder.broker());
      }
      return drained(kind, folder, cut, cpu);
    }
  }

  private static TrialOutcome drained(
      QueueKind kind, TrialFolder folder, OptionalLong cut, OptionalDouble cpu) throws Exception {
    List<Row> scheduled = MessageLog.read(folder.scheduled());
    List<Row> delivered = counted(MessageLog.read(folder.delivered()));
    Verdict verdict = Verdict.of(scheduled, delivered, cut);
    long due = scheduled.isEmpty() ? 0 : scheduled.get(0).dueMicros();
    long filled = scheduled.stream().mapToLong(Row::atMicros).max().orElse(0);
    long first = delivered.stream().mapToLong(Row::atMicros).min().orElse(0);
    long last = delivered.stream().mapToLong(Row::atMicros).max().orElse(0);
    double seconds = (last - (kind.isCoarse() ? first : Math.max(due, filled))) / 1e6;
    List<Sample> samples = new ArrayList<>();
    samples.add(Sample.rate("delivered", "messages/s", delivered.size() / Math.max(seconds, 1e-3)));
    addServerTime(samples, cpu, delivered.size());
    addUnfinished(samples, verdict);
    return new TrialOutcome(samples, verdict.tally(), null);
  }

  /** Measures the rate at which threads take elements, from the first element to the last. */
  TrialOutcome takes(QueueKind kind, int count, int threads) throws Exception {
    try (TrialFolder folder = TrialFolder.open(kind.backend(), redis);
        Child child =
            TrialProcesses.start(
                "takes", orders(kind, folder, 0, warmUpSeconds, count, 0, 0, threads, 0, 0))) {
      String unusedFilled = child.expect();
      OptionalDouble cpu = folder.broker().cpuSeconds();
      child.tell();
      String unusedTaken = child.expect();
      cpu = since(cpu, folder.broker());
      List<Row> taken = MessageLog.read(folder.delivered());
      Verdict verdict = Verdict.of(MessageLog.read(folder.scheduled()), taken);
      List<Sample> samples = new ArrayList<>();
      samples.add(Sample.rate("taken", "messages/s", pace(taken)));
      addServerTime(samples, cpu, taken.size());
      return new TrialOutcome(samples, verdict.tally(), null);
    }
  }

  TrialOutcome steady(QueueKind kind, long backlog, int rate, int seconds) throws Exception {
    long count = (long) rate * seconds;
    try (TrialFolder folder = TrialFolder.open(kind.backend(), redis)) {
      Orders orders = orders(kind, folder, backlog, warmUpSeconds, count, rate, 0, HANDLERS, 0, 0);
      long from;
      OptionalDouble cpu;
      OptionalLong cut;
      try (TrialProcesses run = new TrialProcesses(orders)) {
        run.start();
        run.awaitFilled();
        cpu = folder.broker().cpuSeconds();
        from = WallClock.micros();
        run.awaitProduced();
        Thread.sleep(LONGEST_DELAY.toMillis());
        cut = run.awaitDelivered(folder, count, silence(kind), patience);
        cpu = since(cpu, folder.broker());
      }
      return judged(folder, from, cut, cpu);
    }
  }

  private static TrialOutcome judged(
      TrialFolder folder, long from, OptionalLong cut, OptionalDouble cpu) throws Exception {
    List<Row> scheduled = MessageLog.read(folder.scheduled());
    List<Row> all = MessageLog.read(folder.delivered());
    List<Row> delivered = counted(all);
    Verdict verdict = Verdict.of(scheduled, delivered, cut);
    Histogram late = verdict.latenessMicros();
    List<Sample> samples = new ArrayList<>();
    samples.add(Sample.cost("lateness p50", "ms", late.getValueAtPercentile(50) / 1e3));
    samples.add(Sample.cost("lateness p99", "ms", late.getValueAtPercentile(99) / 1e3));
    samples.add(Sample.cost("lateness p99.9", "ms", late.getValueAtPercentile(99.9) / 1e3));
    samples.add(Sample.cost("lateness max", "ms", late.getMaxValue() / 1e3));
    samples.add(Sample.rate("scheduled", "messages/s", pace(scheduled)));
    addServerTime(samples, cpu, all.stream().filter(row -> row.atMicros() >= from).count());
    addUnfinished(samples, verdict);
    return new TrialOutcome(samples, verdict.tally(), late);
  }

  private static List<Row> counted(List<Row> rows) {
    return rows.stream().filter(row -> Producer.isCounted(row.number())).toList();
  }

  /** Returns how many rows a log has for each second, from its first row to its last row. */
  private static double pace(List<Row> scheduled) {
    long first = scheduled.stream().mapToLong(Row::atMicros).min().orElse(0);
    long last = scheduled.stream().mapToLong(Row::atMicros).max().orElse(0);
    return (scheduled.size() - 1) / Math.max((last - first) / 1e6, 1e-3);
  }

  private static OptionalDouble since(OptionalDouble before, Broker broker) {
    OptionalDouble now = broker.cpuSeconds();
    return now.isPresent() && before.isPresent()
        ? OptionalDouble.of(now.getAsDouble() - before.getAsDouble())
        : OptionalDouble.empty();
  }

  private static void addServerTime(List<Sample> samples, OptionalDouble cpu, long messages) {
    cpu.ifPresent(
        seconds ->
            samples.add(
                Sample.cost(
                    "server time for a message",
                    "µs",
                    seconds * 1e6 / Math.max((double) messages, 1.0))));
  }

  private static void addUnfinished(List<Sample> samples, Verdict verdict) {
    if (verdict.unfinished() > 0) {
      samples.add(Sample.cost("not delivered in time", "messages", (double) verdict.unfinished()));
    }
  }

  /**
   * Kills the first consumer in the middle of the trial, and lets a second consumer continue.
   * Handlers take 20 ms.
   */
  TrialOutcome killed(QueueKind kind) throws Exception {
    int count = 1_000;
    try (TrialFolder folder = TrialFolder.open(kind.backend(), redis)) {
      Orders orders =
          orders(
              kind,
              folder,
              0,
              0,
              count,
              0,
              DRAIN_LEAD_MILLIS,
              KILLED_HANDLERS,
              KILLED_HANDLER_MILLIS,
              0);
      Duration silence = kind.leases() ? LEASE_SILENCE : silence(kind);
      try (TrialProcesses run = new TrialProcesses(orders)) {
        run.start();
        run.awaitFilled();
        run.awaitProduced();
        OptionalLong unused = run.awaitDelivered(folder, count / 2, silence(kind), LEASE_SILENCE);
        run.killConsumer();
        try (Child second = TrialProcesses.start("consume", orders)) {
          String unusedReady = second.expect();
          unused = run.awaitDelivered(folder, count, silence, LEASE_SILENCE);
        }
      }
      Verdict verdict =
          Verdict.of(MessageLog.read(folder.scheduled()), MessageLog.read(folder.delivered()));
      double lost = verdict.tally().lost();
      return new TrialOutcome(
          List.of(Sample.cost("lost", "messages", lost)), verdict.tally(), null);
    }
  }

  private static Orders orders(
      QueueKind kind,
      TrialFolder folder,
      long backlog,
      int warmUp,
      long count,
      long perSecond,
      long dueIn,
      int handlers,
      long handlerMillis,
      long measureMillis) {
    return new Orders(
        kind,
        folder.broker().url(),
        backlog,
        warmUp,
        count,
        perSecond,
        dueIn,
        handlers,
        handlerMillis,
        measureMillis,
        folder.scheduled().toString(),
        folder.delivered().toString());
  }
}
