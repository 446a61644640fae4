package io.punctual.benchmarks.timer;

import io.netty.util.HashedWheelTimer;
import io.punctual.benchmarks.Child;
import io.punctual.benchmarks.Effort;
import io.punctual.benchmarks.Histograms;
import io.punctual.benchmarks.MessageCounts;
import io.punctual.benchmarks.Sample;
import io.punctual.benchmarks.Subject;
import io.punctual.benchmarks.Trial;
import io.punctual.benchmarks.TrialOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * The timers. The trials of schedule and cancel run JMH, each in a fork of its own. Every other
 * trial runs {@link TimerChild} in a process of its own.
 */
public final class TimerSubject implements Subject {
  private static final List<String> HEAP = List.of("-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch");
  private static final List<String> BIG_HEAP = List.of("-Xmx4g", "-XX:+UseSerialGC");
  private static final int MILLION = 1_000_000;

  private final Effort effort;

  /** Creates the subject for {@code effort}. */
  public TimerSubject(Effort effort) {
    this.effort = effort;
  }

  @Override
  public List<Trial> trials() {
    List<Trial> trials = new ArrayList<>();
    for (TimerKind kind : TimerKind.values()) {
      trials.add(jmh("schedule", -1, kind, ScheduleBenchmark.class, Map.of(), 1));
    }
    for (CancelBenchmark.Order order : CancelBenchmark.Order.values()) {
      for (TimerKind kind : TimerKind.values()) {
        String workload = "cancel a million, in " + order.title();
        Map<String, String> parameters = Map.of("order", order.name());
        trials.add(jmh(workload, -1, kind, CancelBenchmark.class, parameters, kind.cancelStride()));
      }
    }
    int fired = effort.choose(100_000, MILLION);
    for (TimerKind kind : TimerKind.values()) {
      trials.add(trial("fire, all due at once", fired, kind, 8, () -> fire(kind, fired)));
    }
    for (int pending : effort.choose(new int[] {MILLION}, new int[] {MILLION, 10 * MILLION})) {
      for (TimerKind kind : TimerKind.values()) {
        trials.add(trial("memory", pending, kind, 5, () -> memory(kind, pending)));
      }
    }
    int seconds = effort.choose(2, 10);
    for (TimerKind kind : TimerKind.values()) {
      trials.add(
          trial("lateness at 10,000/s", -1, kind, seconds + 4, () -> lateness(kind, seconds)));
    }
    int idle = effort.choose(1, 5);
    for (TimerKind kind : TimerKind.values()) {
      trials.add(trial("idle", -1, kind, idle + 2, () -> idle(kind, idle)));
    }
    return trials;
  }

  @Override
  public List<String> leftOut() {
    return List.of();
  }

  @Override
  public List<String> versions() {
    return List.of(
        "Netty " + HashedWheelTimer.class.getPackage().getImplementationVersion(),
        "Kafka server-common 4.1.0",
        "Agrona 2.6.0",
        "JDK " + Runtime.version());
  }

  @Override
  public void close() {
    // Nothing remains to be closed, because each trial has its own processes.
  }

  private Trial jmh(
      String workload,
      long size,
      TimerKind kind,
      Class<?> benchmark,
      Map<String, String> parameters,
      int stride) {
    return trial(
        workload, size, kind, effort.choose(4, 15), () -> jmh(kind, benchmark, parameters, stride));
  }

  private TrialOutcome jmh(
      TimerKind kind, Class<?> benchmark, Map<String, String> parameters, int stride)
      throws RunnerException {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(benchmark.getName())
            .param("timer", kind.name())
            .warmupIterations(effort.choose(3, 10))
            .measurementIterations(effort.choose(3, 15))
            .forks(1)
            .jvmArgs(HEAP.toArray(String[]::new))
            .jvmArgsAppend("-Dorg.slf4j.simpleLogger.defaultLogLevel=error")
            .verbosity(VerboseMode.SILENT);
    parameters.forEach(options::param);
    System.setProperty("jmh.ignoreLock", "true");
    RunResult result = new Runner(options.build()).runSingle();
    double[] scores =
        result.getAggregatedResult().getIterationResults().stream()
            .map(IterationResult::getPrimaryResult)
            .mapToDouble(primary -> primary.getScore())
            .sorted()
            .toArray();
    return TrialOutcome.of(Sample.cost("time of one", "ns", scores[scores.length / 2] * stride));
  }

  private static TrialOutcome memory(TimerKind kind, int pending) throws Exception {
    double bytes = Double.parseDouble(child(BIG_HEAP, "memory", kind, pending));
    return TrialOutcome.of(Sample.cost("a pending timeout, its task excluded", "bytes", bytes));
  }

  private static TrialOutcome fire(TimerKind kind, int count) throws Exception {
    double rate = Double.parseDouble(child(BIG_HEAP, "fire", kind, count));
    return TrialOutcome.of(Sample.rate("rate", "timeouts/s", rate));
  }

  private static TrialOutcome idle(TimerKind kind, int seconds) throws Exception {
    double percent = Double.parseDouble(child(HEAP, "idle", kind, seconds));
    return TrialOutcome.of(Sample.cost("use of a core", "%", percent));
  }

  private static TrialOutcome lateness(TimerKind kind, int seconds) throws Exception {
    String[] words = child(HEAP, "lateness", kind, seconds).split(" ", 2);
    Histogram nanos = Histograms.decode(words[1]);
    return new TrialOutcome(
        List.of(
            Sample.cost("lateness p50", "ms", nanos.getValueAtPercentile(50) / 1e6),
            Sample.cost("lateness p99", "ms", nanos.getValueAtPercentile(99) / 1e6)),
        new MessageCounts(nanos.getTotalCount(), 0, Long.parseLong(words[0]), 0),
        Histograms.toMicros(nanos));
  }

  private static String child(List<String> jvmOptions, String what, TimerKind kind, int number)
      throws Exception {
    String options = Integer.toString(number);
    try (Child child = Child.start(TimerChild.class, jvmOptions, what, kind.name(), options)) {
      return child.expect();
    }
  }

  private static Trial trial(
      String workload, long size, TimerKind kind, int seconds, Trial.Measurement measurement) {
    return new Trial(workload, size, kind.title(), Duration.ofSeconds(seconds), measurement);
  }
}
