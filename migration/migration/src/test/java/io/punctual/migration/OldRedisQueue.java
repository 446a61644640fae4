package io.punctual.migration;

import com.github.sonus21.rqueue.core.RqueueMessage;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.migration.redis.RqueueApplication;
import java.time.Duration;
import java.util.List;

/**
 * Old queues in Redis: the layouts that articles describe, with their commands and scripts, and
 * Rqueue.
 */
final class OldRedisQueue {
  /**
   * Moves the first due member of a sorted set to a list, and returns the number of moved members.
   */
  private static final String MOVE =
      "local due = redis.call('ZRANGEBYSCORE', KEYS[1], 0, ARGV[1], 'LIMIT', 0, 1)"
          + " for _, member in ipairs(due) do redis.call('RPUSH', KEYS[2], member)"
          + " redis.call('ZREM', KEYS[1], member) end return #due";

  private OldRedisQueue() {}

  static OldQueue of(String layout, RedisProcess redis) {
    return switch (layout) {
      case "JOBS" -> new Jobs(redis);
      case "WAIT_AND_ACTIVE" -> new WaitAndActive(redis);
      case "DELAY_TABLE" -> new DelayTable(redis);
      case "RQUEUE" -> new Rqueue(redis, new RqueueApplication(redis.port(), "orders", 2));
      default -> throw new IllegalArgumentException(layout);
    };
  }

  private static long number(Object reply) {
    return reply instanceof Long number ? number : 0;
  }

  private static long staged(RedisProcess redis, String source) {
    return number(redis.ask("ZCARD", "punctual_zset_import:" + source));
  }

  private static long marked(RedisProcess redis, String source) {
    return number(redis.ask("ZCARD", "punctual_zset_import_marked:" + source));
  }

  private static String now() {
    return Long.toString(System.currentTimeMillis());
  }

  /** Ids in a sorted set, payloads in a hash, a poller with ZRANGEBYSCORE and ZREM. */
  private record Jobs(RedisProcess redis) implements OldQueue {
    @Override
    public String url() {
      return redis.url();
    }

    @Override
    public void add(String id, long dueMillis) {
      Object unused = redis.ask("HSET", "jobs", id, "{\"id\":\"" + id + "\"}");
      Object unused2 = redis.ask("ZADD", "delay", Long.toString(dueMillis), id);
    }

    @Override
    public List<String> take() {
      Object due = redis.ask("ZRANGEBYSCORE", "delay", "0", now(), "LIMIT", "0", "1");
      if (due instanceof List<?> ids && !ids.isEmpty()) {
        String id = String.valueOf(ids.get(0));
        if (number(redis.ask("ZREM", "delay", id)) == 1) {
          Object unused = redis.ask("HDEL", "jobs", id);
          return List.of(id);
        }
      }
      return List.of();
    }

    @Override
    public long size() {
      return number(redis.ask("ZCARD", "delay"))
          + number(redis.ask("HLEN", "jobs"))
          + staged()
          + marked();
    }

    @Override
    public long staged() {
      return OldRedisQueue.staged(redis, "{delay}");
    }

    @Override
    public long marked() {
      return OldRedisQueue.marked(redis, "{delay}");
    }
  }

  /**
   * Payloads in a sorted set, with due times in seconds, and a script that moves due payloads to a
   * list.
   */
  private record WaitAndActive(RedisProcess redis) implements OldQueue {
    private static final String WAIT = "delay:wait:orders";
    private static final String ACTIVE = "delay:active:orders";

    @Override
    public String url() {
      return redis.url();
    }

    @Override
    public void add(String id, long dueMillis) {
      String score = dueMillis / 1000 + "." + String.format("%03d", dueMillis % 1000);
      Object unused = redis.ask("ZADD", WAIT, score, "{\"id\":\"" + id + "\"}");
    }

    @Override
    public List<String> take() {
      long nowSeconds = System.currentTimeMillis() / 1000;
      Object unused = redis.ask("EVAL", MOVE, "2", WAIT, ACTIVE, Long.toString(nowSeconds));
      // The consumer leaves two elements in the list, so that the importer also finds due elements.
      return number(redis.ask("LLEN", ACTIVE)) < 3
          ? List.of()
          : List.of(String.valueOf(redis.ask("LPOP", ACTIVE)).replaceAll(".*:\"|\".*", ""));
    }

    @Override
    public long size() {
      return number(redis.ask("ZCARD", WAIT))
          + number(redis.ask("LLEN", ACTIVE))
          + staged()
          + marked();
    }

    @Override
    public long staged() {
      return OldRedisQueue.staged(redis, "{" + WAIT + "}");
    }

    @Override
    public long marked() {
      return OldRedisQueue.marked(redis, "{" + WAIT + "}");
    }
  }

  private record DelayTable(RedisProcess redis) implements OldQueue {
    private static final String TABLE = "{shop}:Redis_Delay_Table";
    private static final String BUCKET = "{shop}:RD_ZSET_BUCKET:";
    private static final String LIST = "{shop}:RD_LIST_TOPIC:orders";

    @Override
    public String url() {
      return redis.url();
    }

    @Override
    public void add(String id, long dueMillis) {
      String script =
          "redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) redis.call('ZADD', KEYS[2], ARGV[3],"
              + " ARGV[1])";
      Object unused =
          redis.ask(
              "EVAL", script, "2", TABLE, BUCKET, "orders:" + id, "{}", Long.toString(dueMillis));
    }

    @Override
    public List<String> take() {
      Object unused = redis.ask("EVAL", MOVE, "2", BUCKET, LIST, now());
      String take =
          "if redis.call('LLEN', KEYS[1]) < 3 then return false end"
              + " local id = redis.call('LPOP', KEYS[1]) redis.call('HDEL', KEYS[2], id) return id";
      Object taken = redis.ask("EVAL", take, "2", LIST, TABLE);
      return taken == null ? List.of() : List.of(String.valueOf(taken).substring(7));
    }

    @Override
    public long size() {
      return number(redis.ask("ZCARD", BUCKET))
          + number(redis.ask("LLEN", LIST))
          + number(redis.ask("HLEN", TABLE))
          + staged()
          + marked();
    }

    @Override
    public long staged() {
      return OldRedisQueue.staged(redis, LIST);
    }

    @Override
    public long marked() {
      return OldRedisQueue.marked(redis, LIST);
    }
  }

  /** Rqueue with a listener that takes messages of the list. */
  private record Rqueue(RedisProcess redis, RqueueApplication application) implements OldQueue {
    private static final String LIST = "__rq::queue::{orders}";

    @Override
    public String url() {
      return redis.url();
    }

    @Override
    public void add(String id, long dueMillis) {
      long delay = dueMillis - System.currentTimeMillis();
      if (delay > 100) {
        application.producer().enqueueIn("orders", id, "order", delay);
      } else {
        application.producer().enqueue("orders", id, "order");
      }
    }

    @Override
    public List<String> take() {
      return application.take(1, Duration.ofHours(1)).stream().map(RqueueMessage::getId).toList();
    }

    @Override
    public long size() {
      return number(redis.ask("ZCARD", "__rq::d-queue::{orders}"))
          + number(redis.ask("LLEN", LIST))
          + staged()
          + marked();
    }

    @Override
    public long staged() {
      return OldRedisQueue.staged(redis, LIST);
    }

    @Override
    public long marked() {
      return OldRedisQueue.marked(redis, LIST);
    }

    @Override
    public void close() {
      application.close();
    }
  }
}
