package io.punctual.benchmarks.queue;

import io.punctual.testkit.redis.RedisProcess;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a server says about itself. */
final class RedisInfo {
  private RedisInfo() {}

  static String field(RedisProcess redis, String section, String name) {
    String info = String.valueOf(redis.ask("INFO", section));
    Matcher matcher = Pattern.compile("(?m)^" + name + ":(.*?)\\r?$").matcher(info);
    if (!matcher.find()) {
      throw new IllegalStateException("INFO " + section + " has no " + name);
    }
    return matcher.group(1);
  }

  static double usedMemory(RedisProcess redis) {
    return Double.parseDouble(field(redis, "memory", "used_memory"));
  }

  /** Seconds of processor time, of the user's and the system's. */
  static double cpuSeconds(RedisProcess redis) {
    return Double.parseDouble(field(redis, "cpu", "used_cpu_user"))
        + Double.parseDouble(field(redis, "cpu", "used_cpu_sys"));
  }
}
