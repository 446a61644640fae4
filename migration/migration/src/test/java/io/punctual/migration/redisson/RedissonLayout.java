package io.punctual.migration.redisson;

import io.punctual.kit.redis.RedisProcess;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes the keys of a delayed queue as Redisson does, by the commands of its script. The tests of
 * module {@code punctual-redisson} use Redisson itself.
 */
final class RedissonLayout {
  private static final String CURRENT =
      "struct.pack('Bc0Lc0', string.len(ARGV[2]), ARGV[2], string.len(ARGV[3]), ARGV[3])";
  private static final String OLD = "struct.pack('dLc0', ARGV[2], string.len(ARGV[3]), ARGV[3])";

  private final RedisProcess redis;
  private final String list;
  private final String dues;
  private final String queue;

  RedissonLayout(RedisProcess redis, String queue) {
    this.redis = redis;
    this.queue = queue;
    String tagged = queue.contains("{") ? queue : "{" + queue + "}";
    list = "redisson_delay_queue:" + tagged;
    dues = "redisson_delay_queue_timeout:" + tagged;
  }

  /** Adds an entry; the random bytes are eight characters. */
  void offer(String random, String payload, long dueMillis) {
    offer(random, payload, Long.toString(dueMillis));
  }

  /** Adds an entry; the due time is any text that Redis reads as a score, such as "inf". */
  void offer(String random, String payload, String due) {
    add(CURRENT, "redis.call('zadd', KEYS[2], ARGV[1], v)", random, payload, due);
  }

  /** Adds an entry in the format before 3.21.2, where the random bytes are a number. */
  void offerOld(double random, String payload, long dueMillis) {
    add(OLD, "redis.call('zadd', KEYS[2], ARGV[1], v)", "" + random, payload, "" + dueMillis);
  }

  /** Adds a due time without an entry in the list. */
  void offerOrphan(String random, String payload, long dueMillis) {
    Object unused =
        redis.ask(
            "EVAL",
            "return redis.call('zadd', KEYS[1], ARGV[1], " + CURRENT + ")",
            "1",
            dues,
            "" + dueMillis,
            random,
            payload);
  }

  private void add(String packed, String zadd, String random, String payload, String due) {
    Object unused =
        redis.ask(
            "EVAL",
            "local v = " + packed + "; " + zadd + " redis.call('rpush', KEYS[1], v)",
            "2",
            list,
            dues,
            due,
            random,
            payload);
  }

  /** Returns the number of elements of a key with this prefix, a list or a sorted set. */
  long size(String prefix) {
    String key = queue.contains("{") ? prefix + ":" + queue : prefix + ":{" + queue + "}";
    return switch (String.valueOf(redis.ask("TYPE", key))) {
      case "list" -> number(redis.ask("LLEN", key));
      case "zset" -> number(redis.ask("ZCARD", key));
      default -> 0;
    };
  }

  private static long number(@Nullable Object reply) {
    return reply instanceof Long number ? number : -1;
  }

  List<?> keys(String prefix) {
    return redis.ask("KEYS", prefix + "*") instanceof List<?> found ? found : List.of();
  }
}
