package io.punctual.benchmarks;

import io.punctual.harness.redis.RedisProcess;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The Redis that a run is measured on, and what it says about itself. */
public final class RedisServer {
  private static final Pattern SCRIPT_CALLS =
      Pattern.compile("(?m)^cmdstat_(?:eval|evalsha|fcall)(?:_ro)?:calls=(\\d+)");

  private RedisServer() {}

  /** Starts one that writes nothing to disk: what is installed, or else the embedded one. */
  public static RedisProcess start() {
    return RedisProcess.builder().installed().start();
  }

  /** Returns its name, its version, and the allocator, which decides how fast its scripts are. */
  public static String describe(RedisProcess redis) {
    String allocator = field(redis, "memory", "mem_allocator");
    String version =
        find(redis, "server", "valkey_version")
            .map(number -> "Valkey " + number)
            .orElseGet(() -> "Redis " + field(redis, "server", "redis_version"));
    return version + " with " + (allocator.equals("libc") ? "libc's allocator" : allocator);
  }

  /** What would make a better server to measure on. */
  public static List<String> advice(RedisProcess redis) {
    return field(redis, "memory", "mem_allocator").equals("libc")
        ? List.of(
            "an installed Redis, which is faster than the embedded one:"
                + " bring it in with: apt-get install redis-server")
        : List.of();
  }

  /**
   * Returns a field of its INFO.
   *
   * @throws IllegalStateException if there is none of that name
   */
  public static String field(RedisProcess redis, String section, String name) {
    return find(redis, section, name)
        .orElseThrow(() -> new IllegalStateException("INFO " + section + " has no " + name));
  }

  private static Optional<String> find(RedisProcess redis, String section, String name) {
    String info = String.valueOf(redis.ask("INFO", section));
    Matcher matcher = Pattern.compile("(?m)^" + name + ":(.*?)\\r?$").matcher(info);
    return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
  }

  /** Bytes that it has allocated. */
  public static double usedMemory(RedisProcess redis) {
    return Double.parseDouble(field(redis, "memory", "used_memory"));
  }

  /** Seconds of processor time, of the user's and the system's. */
  public static double cpuSeconds(RedisProcess redis) {
    return Double.parseDouble(field(redis, "cpu", "used_cpu_user"))
        + Double.parseDouble(field(redis, "cpu", "used_cpu_sys"));
  }

  /** How many scripts it has run. */
  public static long scriptCalls(RedisProcess redis) {
    String info = String.valueOf(redis.ask("INFO", "commandstats"));
    return SCRIPT_CALLS.matcher(info).results().mapToLong(m -> Long.parseLong(m.group(1))).sum();
  }
}
