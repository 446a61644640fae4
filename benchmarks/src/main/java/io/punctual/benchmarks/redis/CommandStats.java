package io.punctual.benchmarks.redis;

import io.punctual.kit.redis.RedisProcess;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * The sums of {@code INFO commandstats} of servers since {@link #reset}. Commands that scripts call
 * are included.
 */
final class CommandStats {
  private static final Pattern STAT = Pattern.compile("cmdstat_(\\S+?):calls=(\\d+),usec=(\\d+)");

  private final Collection<RedisProcess> servers;

  CommandStats(Collection<RedisProcess> servers) {
    this.servers = servers;
  }

  void reset() {
    servers.forEach(server -> server.ask("CONFIG", "RESETSTAT"));
  }

  /** Returns how often the servers ran these commands. */
  double calls(String... commands) {
    return sum(List.of(commands)::contains, 2);
  }

  /** Returns how often the servers ran scripts. */
  double scripts() {
    return calls("eval", "evalsha");
  }

  /** Returns the time that the servers spent in these commands, in microseconds. */
  double micros(Predicate<String> commands) {
    return sum(commands, 3);
  }

  private double sum(Predicate<String> commands, int group) {
    double sum = 0;
    for (RedisProcess server : servers) {
      for (MatchResult stat : stats(server)) {
        sum += commands.test(stat.group(1)) ? Double.parseDouble(stat.group(group)) : 0;
      }
    }
    return sum;
  }

  private static List<MatchResult> stats(RedisProcess server) {
    return STAT.matcher(String.valueOf(server.ask("INFO", "commandstats"))).results().toList();
  }
}
