package io.punctual.redisson;

import io.punctual.kit.redis.RedisProcess;

/**
 * Writes entries in the format of Redisson before 3.21.2, with the commands of the script of these
 * versions. Also damages entries.
 */
final class OldEntries {
  private final RedisProcess redis;
  private final String name;

  OldEntries(RedisProcess redis, String name) {
    this.redis = redis;
    this.name = name;
  }

  void offer(double random, String payload, long delayMillis) {
    Object unused =
        redis.ask(
            "EVAL",
            "local v = struct.pack('dLc0', ARGV[2], string.len(ARGV[3]), ARGV[3])"
                + " redis.call('zadd', KEYS[2], ARGV[1], v) redis.call('rpush', KEYS[1], v)",
            "2",
            "redisson_delay_queue:{" + name + "}",
            "redisson_delay_queue_timeout:{" + name + "}",
            "" + (System.currentTimeMillis() + delayMillis),
            "" + random,
            payload);
  }

  /**
   * Adds an entry with the due time of the latest entry. The new entry comes after the latest
   * entry, because Redis orders entries with equal due times by their bytes.
   */
  void offerBesideTheLatest(String payload) {
    Object unused =
        redis.ask(
            "EVAL",
            "local due = redis.call('zrange', KEYS[2], -1, -1, 'withscores')[2]"
                + " local v = struct.pack('dLc0', 0.1, string.len(ARGV[1]), ARGV[1])"
                + " redis.call('zadd', KEYS[2], due, v) redis.call('rpush', KEYS[1], v)",
            "2",
            "redisson_delay_queue:{" + name + "}",
            "redisson_delay_queue_timeout:{" + name + "}",
            payload);
  }

  static void dropDueTime(RedisProcess redis, String name, String payload) {
    Object unused =
        redis.ask(
            "EVAL",
            "for _, v in ipairs(redis.call('zrange', KEYS[1], 0, -1)) do"
                + " if v:sub(-#ARGV[1]) == ARGV[1] then redis.call('zrem', KEYS[1], v) end end",
            "1",
            "redisson_delay_queue_timeout:{" + name + "}",
            payload);
  }
}
