package io.punctual.benchmarks;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** A description of the machine that runs the benchmarks. */
final class Machine {
  private static final Path CPU = Path.of("/proc/cpuinfo");
  private static final Path LOAD = Path.of("/proc/loadavg");

  private Machine() {}

  static String describe() {
    return String.format(
        Locale.ROOT,
        "%s, %d cores, %s %s, Java %s; load average at the end %s",
        processor(),
        Runtime.getRuntime().availableProcessors(),
        System.getProperty("os.name"),
        System.getProperty("os.version"),
        System.getProperty("java.vm.version"),
        load());
  }

  private static String processor() {
    try {
      return Files.readAllLines(CPU).stream()
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).trim())
          .findFirst()
          .orElse(System.getProperty("os.arch"));
    } catch (IOException noSuchFile) {
      return System.getProperty("os.arch");
    }
  }

  private static String load() {
    try {
      return Files.readString(LOAD).split(" ", 2)[0];
    } catch (IOException noSuchFile) {
      return String.format(
          Locale.ROOT, "%.1f", ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }
  }
}
