package io.punctual.benchmarks.locks;

import io.punctual.benchmarks.Child;
import io.punctual.benchmarks.Effort;
import io.punctual.benchmarks.MessageCounts;
import io.punctual.benchmarks.RedisServer;
import io.punctual.benchmarks.Sample;
import io.punctual.benchmarks.Subject;
import io.punctual.benchmarks.Trial;
import io.punctual.benchmarks.TrialOutcome;
import io.punctual.benchmarks.locks.LockChild.Report;
import io.punctual.kit.redis.RedisProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.redisson.Redisson;

/** The locks: threads with a separate lock each, and processes that compete for a single lock. */
public final class LockSubject implements Subject {
  private static final int PROCESSES = 2;
  private static final int THREADS_EACH = 4;

  private final RedisProcess redis = RedisServer.start();

  /**
   * The duration of the warm-up. In a full run it is long enough for the JIT: the contenders become
   * faster in their first seconds.
   */
  private final int warmUpMillis;

  private final int millis;

  /** Creates the subject for {@code effort}. */
  public LockSubject(Effort effort) {
    warmUpMillis = effort.choose(250, 15_000);
    millis = effort.choose(500, 4_000);
  }

  @Override
  public List<Trial> trials() {
    List<Trial> trials = new ArrayList<>();
    for (int threads : new int[] {1, 8, 64}) {
      for (LockProduct product : LockProduct.values()) {
        trials.add(
            trial("uncontended, by threads", threads, product, () -> free(product, threads)));
      }
    }
    for (LockProduct product : LockProduct.values()) {
      trials.add(
          trial("contended, 2 processes of 4 threads", -1, product, () -> contended(product)));
    }
    return trials;
  }

  @Override
  public List<String> leftOut() {
    return RedisServer.advice(redis);
  }

  @Override
  public List<String> versions() {
    return List.of(
        RedisServer.describe(redis),
        "Redisson " + Redisson.class.getPackage().getImplementationVersion(),
        "JDK " + Runtime.version());
  }

  @Override
  public void close() {
    redis.close();
  }

  private Trial trial(
      String workload, long size, LockProduct product, Trial.Measurement measurement) {
    Duration expected = Duration.ofMillis(2_000L + warmUpMillis + millis);
    return new Trial(workload, size, product.title(), expected, measurement);
  }

  /** Measures threads that have a separate lock each. */
  private TrialOutcome free(LockProduct product, int threads) throws Exception {
    Path counters = Guarded.create(threads);
    try (Child child = start(product, threads, false, counters)) {
      child.expect();
      long before = RedisServer.scriptCalls(redis);
      child.tell();
      Report report = Report.of(child.expect());
      double scripts = (RedisServer.scriptCalls(redis) - before) / (double) report.pairs();
      return outcome(
          report.all(),
          counters,
          Sample.rate("pairs", "pairs/s", report.perSecond()),
          Sample.cost("calls of scripts for a pair", "calls", scripts));
    } finally {
      Files.delete(counters);
    }
  }

  /** Measures threads of several processes, all of which compete for the same lock. */
  private TrialOutcome contended(LockProduct product) throws Exception {
    Path counters = Guarded.create(1);
    List<Child> children = new ArrayList<>();
    try {
      for (int i = 0; i < PROCESSES; i++) {
        children.add(start(product, THREADS_EACH, true, counters));
      }
      return contended(children, counters);
    } finally {
      for (Child child : children) {
        child.close();
      }
      Files.delete(counters);
    }
  }

  private TrialOutcome contended(List<Child> children, Path counters) throws IOException {
    for (Child child : children) {
      child.expect();
    }
    long before = RedisServer.scriptCalls(redis);
    for (Child child : children) {
      child.tell();
    }
    List<Report> reports = new ArrayList<>();
    for (Child child : children) {
      reports.add(Report.of(child.expect()));
    }
    long pairs = reports.stream().mapToLong(Report::pairs).sum();
    Histogram waits = new Histogram(3);
    reports.forEach(report -> waits.add(report.waitNanos()));
    return outcome(
        reports.stream().mapToLong(Report::all).sum(),
        counters,
        Sample.rate("pairs", "pairs/s", reports.stream().mapToDouble(Report::perSecond).sum()),
        Sample.cost("wait p50", "ms", waits.getValueAtPercentile(50) / 1e6),
        Sample.cost("wait p99", "ms", waits.getValueAtPercentile(99) / 1e6),
        Sample.cost("wait max", "ms", waits.getMaxValue() / 1e6),
        Sample.cost(
            "calls of scripts for a pair",
            "calls",
            (RedisServer.scriptCalls(redis) - before) / (double) pairs));
  }

  /**
   * Returns the outcome of a trial. A missing increment means that two threads held the same lock
   * at the same time.
   */
  private static TrialOutcome outcome(long expected, Path counters, Sample... samples)
      throws IOException {
    long lost = expected - Guarded.open(counters).sum();
    return new TrialOutcome(List.of(samples), new MessageCounts(expected, lost, 0, 0), null);
  }

  private Child start(LockProduct product, int threads, boolean shared, Path counters)
      throws IOException {
    return Child.start(
        LockChild.class,
        List.of("-Xmx512m"),
        product.name(),
        redis.url(),
        Integer.toString(threads),
        Integer.toString(warmUpMillis),
        Integer.toString(millis),
        Boolean.toString(shared),
        counters.toString());
  }
}
