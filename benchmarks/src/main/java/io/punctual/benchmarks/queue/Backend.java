package io.punctual.benchmarks.queue;

import io.punctual.kit.redis.RedisProcess;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The servers and stores that the queues use. */
enum Backend {
  REDIS(null),
  BEANSTALKD(Program.BEANSTALKD),
  BEANSTALKD_JOURNAL(Program.BEANSTALKD),
  BEANSTALKD_FORCED(Program.BEANSTALKD),
  POSTGRES(Program.POSTGRES),
  MARIADB(Program.MARIADB),
  RABBITMQ(Program.RABBITMQ),
  JOURNAL(null),
  MEMORY(null);

  private final @Nullable Program program;

  Backend(@Nullable Program program) {
    this.program = program;
  }

  /** The program that a trial needs beside the Redis server of all trials; empty if none. */
  Optional<Program> program() {
    return Optional.ofNullable(program);
  }

  /** Whether producers and consumers may be separate processes. */
  boolean isShared() {
    return this != JOURNAL && this != MEMORY;
  }

  /** Whether the server is a database with SQL. */
  boolean isDatabase() {
    return this == POSTGRES || this == MARIADB;
  }

  /** Whether the server takes seconds to start. */
  boolean isSlowToStart() {
    return isDatabase() || this == RABBITMQ;
  }

  /**
   * Opens an empty server or store, with its files in the directory. For Redis, empties the server
   * that all trials share.
   */
  Broker open(RedisProcess redis, Path directory) {
    return switch (this) {
      case REDIS -> new RedisBroker(redis);
      case BEANSTALKD -> BeanstalkdBroker.inMemory();
      case BEANSTALKD_JOURNAL -> BeanstalkdBroker.withJournal(directory);
      case BEANSTALKD_FORCED -> BeanstalkdBroker.withJournal(directory, "-f0");
      case POSTGRES -> new PostgresBroker();
      case MARIADB -> new MariaDbBroker();
      case RABBITMQ -> new RabbitBroker();
      case JOURNAL -> Broker.within("journal:" + directory.resolve("journal"));
      case MEMORY -> Broker.within("memory:");
    };
  }
}
