package io.punctual.benchmarks;

import io.punctual.kit.redis.RedisProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The Redis server that a run uses, and its properties and metrics. */
public final class RedisServer {
  private static final Pattern SCRIPT_CALLS =
      Pattern.compile("(?m)^cmdstat_(?:eval|evalsha|fcall)(?:_ro)?:calls=(\\d+)");

  private RedisServer() {}

  /** Makes all later starts use this server program. */
  static void use(Path program) {
    if (!Files.isExecutable(program)) {
      throw new IllegalArgumentException(program + " is not a program; name a Redis server");
    }
    System.setProperty("punctual.redis.program", program.toAbsolutePath().toString());
  }

  /** Starts a server without persistence: the installed server, or else the embedded server. */
  public static RedisProcess start() {
    return RedisProcess.builder().installed().start();
  }

  /**
   * Returns the server's name, version and allocator; the allocator affects the speed of scripts.
   */
  public static String describe(RedisProcess redis) {
    String allocator = field(redis, "memory", "mem_allocator");
    String version =
        find(redis, "server", "valkey_version")
            .map(number -> "Valkey " + number)
            .orElseGet(() -> "Redis " + field(redis, "server", "redis_version"));
    return version + " with " + (allocator.equals("libc") ? "libc's allocator" : allocator);
  }

  /** Advice on a better server for measurements; empty if there is none. */
  public static List<String> advice(RedisProcess redis) {
    return field(redis, "memory", "mem_allocator").equals("libc")
        ? List.of(
            "an installed Redis, which is faster than the embedded one:"
                + " bring it in with: apt-get install redis-server")
        : List.of();
  }

  /**
   * Returns a field of the server's INFO.
   *
   * @throws IllegalStateException if the field does not exist
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

  /** The allocated memory in bytes. */
  public static double usedMemory(RedisProcess redis) {
    return Double.parseDouble(field(redis, "memory", "used_memory"));
  }

  /** The server's processor time in seconds, user and system. */
  public static double cpuSeconds(RedisProcess redis) {
    return Double.parseDouble(field(redis, "cpu", "used_cpu_user"))
        + Double.parseDouble(field(redis, "cpu", "used_cpu_sys"));
  }

  /** The number of script calls so far. */
  public static long scriptCalls(RedisProcess redis) {
    String info = String.valueOf(redis.ask("INFO", "commandstats"));
    return SCRIPT_CALLS.matcher(info).results().mapToLong(m -> Long.parseLong(m.group(1))).sum();
  }
}
