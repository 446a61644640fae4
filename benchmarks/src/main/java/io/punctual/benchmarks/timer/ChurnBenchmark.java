package io.punctual.benchmarks.timer;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/** Schedules a timeout of 30 s and cancels it, as a request with a timely reply does. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 3,
    jvmArgs = {"-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch"})
public class ChurnBenchmark {
  private static final long DELAY = TimeUnit.SECONDS.toNanos(30);

  @Param TimerKind timer;

  private Contender contender;
  private Object task;

  @Setup
  public void start() {
    contender = timer.start();
    task = contender.task(() -> {});
  }

  @TearDown
  public void stop() {
    contender.close();
  }

  @Benchmark
  @Threads(1)
  public boolean oneThread() {
    return contender.cancel(contender.schedule(task, DELAY));
  }

  @Benchmark
  @Threads(2)
  public boolean twoThreads() {
    return contender.cancel(contender.schedule(task, DELAY));
  }

  @Benchmark
  @Threads(8)
  public boolean eightThreads() {
    return contender.cancel(contender.schedule(task, DELAY));
  }
}
