package io.punctual.benchmarks.timer;

import java.util.Arrays;
import java.util.Collections;
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

/**
 * Measures the time of a cancel: of a million pending timeouts, cancels every n-th ({@link
 * TimerKind#cancelStride}). If the timer has a wheel, all timeouts are in the wheel before the
 * first cancel.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 10, time = 1, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 15, time = 1, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
    value = 3,
    jvmArgs = {"-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch"})
public class CancelBenchmark {
  /** The order of cancels relative to the order of scheduling. */
  public enum Order {
    SAME("the order of scheduling"),
    SHUFFLED("any order");

    private final String title;

    Order(String title) {
      this.title = title;
    }

    String title() {
      return title;
    }
  }

  /**
   * The wait before the cancels, in which Netty's worker places all timeouts in its wheel: it
   * places 100,000 per tick.
   */
  private static final long SETTLE_MILLIS = 200;

  @Param TimerKind timer;
  @Param Order order;

  private final long[] delays = ScheduleBenchmark.delays();
  private final Object[] timeouts = new Object[delays.length];
  private Contender contender;

  @Setup(Level.Invocation)
  public void fill() throws InterruptedException {
    contender = timer.start();
    Object task = contender.task(() -> {});
    for (int i = 0; i < delays.length; i++) {
      timeouts[i] = contender.schedule(task, delays[i]);
    }
    if (order == Order.SHUFFLED) {
      Collections.shuffle(Arrays.asList(timeouts), new Random(1));
    }
    Thread.sleep(SETTLE_MILLIS);
    System.gc();
  }

  @TearDown(Level.Invocation)
  public void stop() {
    contender.close();
    Arrays.fill(timeouts, null);
  }

  @Benchmark
  @OperationsPerInvocation(ScheduleBenchmark.COUNT)
  public int cancel() {
    int cancelled = 0;
    int stride = timer.cancelStride();
    for (int i = 0; i < timeouts.length; i += stride) {
      if (contender.cancel(timeouts[i])) {
        cancelled++;
      }
    }
    return cancelled;
  }
}
