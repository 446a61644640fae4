package io.punctual.benchmarks.queue;

import java.util.List;

/** The compared queues, with their names in the results. */
enum QueueKind {
  PUNCTUAL_REDIS("Punctual on Redis", Backend.REDIS),
  PUNCTUAL_REDIS_PREFETCH("Punctual on Redis, prefetch 32", Backend.REDIS),
  REDISSON("Redisson RDelayedQueue", Backend.REDIS),
  BULLMQ("BullMQ", Backend.REDIS),
  RQUEUE("Rqueue", Backend.REDIS),
  ZSET_POLL("zset poll with Lua, 100 ms", Backend.REDIS),
  LIST_CRON("list + cron, 1 s", Backend.REDIS),
  KEY_EXPIRY("Redis key expiry events", Backend.REDIS),
  BEANSTALKD("beanstalkd", Backend.BEANSTALKD),
  RABBITMQ("RabbitMQ TTL + DLX", Backend.RABBITMQ),
  PUNCTUAL_POSTGRES("Punctual on PostgreSQL", Backend.POSTGRES),
  PUNCTUAL_MARIADB("Punctual on MariaDB", Backend.MARIADB),
  DB_SCHEDULER("db-scheduler, PostgreSQL", Backend.POSTGRES),
  JOBRUNR("JobRunr, PostgreSQL", Backend.POSTGRES),
  QUARTZ("Quartz, PostgreSQL", Backend.POSTGRES),
  PUNCTUAL_JOURNAL("Punctual journal", Backend.JOURNAL),
  BEANSTALKD_JOURNAL("beanstalkd -b", Backend.BEANSTALKD_JOURNAL),
  BEANSTALKD_FORCED("beanstalkd -b -f0", Backend.BEANSTALKD_FORCED),
  PUNCTUAL_MEMORY("Punctual memory", Backend.MEMORY),
  DELAY_QUEUE("DelayQueue", Backend.MEMORY);

  /** The prefetch of workers on databases: the largest claim. */
  private static final int PREFETCH = 1000;

  private final String title;
  private final Backend backend;

  QueueKind(String title, Backend backend) {
    this.title = title;
    this.backend = backend;
  }

  String title() {
    return title;
  }

  Backend backend() {
    return backend;
  }

  /** The programs that a trial needs beside the Redis server of all trials. */
  List<Program> programs() {
    return isInNode() ? List.of(Program.NODE, Program.NPM) : backend.program().stream().toList();
  }

  /** Whether the processes of a trial run in Node; {@link #open} is not possible then. */
  boolean isInNode() {
    return this == BULLMQ;
  }

  /** Whether producers and consumers may be separate processes. */
  boolean isShared() {
    return backend.isShared();
  }

  boolean cancels() {
    return this != RABBITMQ;
  }

  /** Whether the queue rounds delays up to whole seconds. */
  boolean isCoarse() {
    return switch (this) {
      case BEANSTALKD, BEANSTALKD_JOURNAL, BEANSTALKD_FORCED -> true;
      default -> false;
    };
  }

  /**
   * Whether the queue polls every few seconds, and then hands over all messages that become due by
   * the next poll.
   */
  boolean isSeldomPolled() {
    return this == JOBRUNR;
  }

  /** Whether a message must wait for all messages that were scheduled before it. */
  boolean isInOrder() {
    return this == RABBITMQ;
  }

  /**
   * Whether due messages are available as a {@code BlockingQueue} that needs at most one round trip
   * for a take.
   */
  boolean isBlockingQueue() {
    return this == PUNCTUAL_REDIS || this == PUNCTUAL_REDIS_PREFETCH || this == REDISSON;
  }

  /** Whether this kind differs from another kind only in the takes from the blocking queue. */
  boolean isForTakesOnly() {
    return this == PUNCTUAL_REDIS_PREFETCH;
  }

  /** Whether the messages of a dead consumer return only after a time limit. */
  boolean leases() {
    return switch (this) {
      case PUNCTUAL_REDIS,
          PUNCTUAL_REDIS_PREFETCH,
          PUNCTUAL_POSTGRES,
          PUNCTUAL_MARIADB,
          BULLMQ,
          RQUEUE,
          DB_SCHEDULER,
          JOBRUNR,
          QUARTZ ->
          true;
      default -> false;
    };
  }

  QueueContender open(String url) throws Exception {
    return switch (this) {
      case PUNCTUAL_REDIS, PUNCTUAL_JOURNAL, PUNCTUAL_MEMORY -> new PunctualQueue(url, 0, 0);
      case PUNCTUAL_REDIS_PREFETCH -> new PunctualQueue(url, 32, 0);
      case PUNCTUAL_POSTGRES, PUNCTUAL_MARIADB ->
          new PunctualQueue(url + "&createTables=true", 0, PREFETCH);
      case BULLMQ -> throw new UnsupportedOperationException("BullMQ runs in Node");
      case RQUEUE -> new RqueueQueue(url);
      case REDISSON -> new RedissonQueue(url);
      case ZSET_POLL -> new ZsetPollQueue(url);
      case LIST_CRON -> new ListCronQueue(url);
      case KEY_EXPIRY -> new KeyExpiryQueue(url);
      case BEANSTALKD, BEANSTALKD_JOURNAL, BEANSTALKD_FORCED -> new BeanstalkdQueue(url);
      case RABBITMQ -> new RabbitQueue(url);
      case DB_SCHEDULER -> new DbSchedulerQueue(url);
      case JOBRUNR -> new JobRunrQueue(url);
      case QUARTZ -> new QuartzQueue(url);
      case DELAY_QUEUE -> new DelayQueueContender();
    };
  }
}
