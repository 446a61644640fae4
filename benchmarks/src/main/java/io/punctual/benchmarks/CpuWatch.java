package io.punctual.benchmarks;

import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * Measures elapsed time and the processor time of this process, from the creation of this object.
 */
public final class CpuWatch {
  private final long start = System.nanoTime();
  private final long cpuStart = cpuNanos();

  /** Nanoseconds since the creation. */
  public long nanos() {
    return System.nanoTime() - start;
  }

  /** Microseconds of processor time for each of {@code count} messages. */
  public Sample cpuOfEach(long count) {
    return Sample.cost("processor time of a message", "µs", (cpuNanos() - cpuStart) / 1e3 / count);
  }

  /** The rate of {@code count} messages, and their processor time. */
  public List<Sample> rateOf(long count) {
    return List.of(Sample.rate("rate", "messages/s", count * 1e9 / nanos()), cpuOfEach(count));
  }

  private static long cpuNanos() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }
}
