package io.punctual.benchmarks.queue;

/** The queues, and the names that they have in the results. */
enum QueueKind {
  PUNCTUAL_REDIS("Punctual on Redis", true),
  REDISSON("Redisson RDelayedQueue", true),
  ZSET_POLL("zset poll with Lua, 100 ms", true),
  LIST_CRON("list + cron, 1 s", true),
  KEY_EXPIRY("Redis key expiry events", true),
  PUNCTUAL_JOURNAL("Punctual journal", false),
  PUNCTUAL_MEMORY("Punctual memory", false),
  DELAY_QUEUE("DelayQueue", false);

  private final String title;
  private final boolean onRedis;

  QueueKind(String title, boolean onRedis) {
    this.title = title;
    this.onRedis = onRedis;
  }

  String title() {
    return title;
  }

  /** Whether it lives on a server, so that its producers and consumers may be apart. */
  boolean isOnRedis() {
    return onRedis;
  }

  QueueContender open(String url) {
    return switch (this) {
      case PUNCTUAL_REDIS, PUNCTUAL_JOURNAL, PUNCTUAL_MEMORY -> new PunctualQueue(url);
      case REDISSON -> new RedissonQueue(url);
      case ZSET_POLL -> new ZsetPollQueue(url);
      case LIST_CRON -> new ListCronQueue(url);
      case KEY_EXPIRY -> new KeyExpiryQueue(url);
      case DELAY_QUEUE -> new DelayQueueContender();
    };
  }
}
