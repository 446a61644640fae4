package io.punctual.benchmarks.locks;

import io.punctual.testkit.redis.RedisProcess;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What the server says about itself and about the scripts that it ran. */
final class ServerInfo {
  private static final Pattern VERSION = Pattern.compile("(?m)^redis_version:(\\S+)");
  private static final Pattern SCRIPT_CALLS =
      Pattern.compile("(?m)^cmdstat_(?:eval|evalsha|fcall)(?:_ro)?:calls=(\\d+)");

  private ServerInfo() {}

  static String version(RedisProcess redis) {
    return matches(redis, "server", VERSION).findFirst().orElse("unknown");
  }

  static long scriptCalls(RedisProcess redis) {
    return matches(redis, "commandstats", SCRIPT_CALLS).mapToLong(Long::parseLong).sum();
  }

  private static Stream<String> matches(RedisProcess redis, String section, Pattern pattern) {
    String info = String.valueOf(redis.ask("INFO", section));
    return pattern.matcher(info).results().map((MatchResult match) -> match.group(1));
  }
}
