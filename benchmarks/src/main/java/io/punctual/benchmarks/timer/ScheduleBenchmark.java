package io.punctual.benchmarks.timer;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/** Measures the time of a schedule: schedules a million timeouts of 30 to 90 s in a new timer. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 10, time = 1, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 15, time = 1, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
    value = 3,
    jvmArgs = {"-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch"})
public class ScheduleBenchmark {
  static final int COUNT = 1_000_000;

  @Param TimerKind timer;

  private final long[] delays = delays();
  private Contender contender;
  private Object task;

  @Setup(Level.Invocation)
  public void start() {
    System.gc();
    contender = timer.start();
    task = contender.task(() -> {});
  }

  @TearDown(Level.Invocation)
  public void stop() {
    contender.close();
  }

  @Benchmark
  @OperationsPerInvocation(COUNT)
  public void schedule(Blackhole blackhole) {
    for (long delay : delays) {
      blackhole.consume(contender.schedule(task, delay));
    }
  }

  static long[] delays() {
    return new Random(1)
        .longs(COUNT, TimeUnit.SECONDS.toNanos(30), TimeUnit.SECONDS.toNanos(90))
        .toArray();
  }
}
