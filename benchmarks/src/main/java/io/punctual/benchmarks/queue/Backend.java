package io.punctual.benchmarks.queue;

import io.punctual.harness.redis.RedisProcess;
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
  RABBITMQ(Program.RABBITMQ),
  JOURNAL(null),
  MEMORY(null);

  private final @Nullable Program program;

  Backend(@Nullable Program program) {
    this.program = program;
  }

  /** The program to install, in addition to the Redis server of all trials. */
  Optional<Program> program() {
    return Optional.ofNullable(program);
  }

  /** Whether producers and consumers may be separate processes. */
  boolean isShared() {
    return this != JOURNAL && this != MEMORY;
  }

  /** Whether the server takes seconds to start. */
  boolean isSlowToStart() {
    return this == POSTGRES || this == RABBITMQ;
  }

  /** Opens an empty server, with its files in the directory. */
  Engine open(RedisProcess redis, Path directory) {
    return switch (this) {
      case REDIS -> new RedisEngine(redis);
      case BEANSTALKD -> BeanstalkdEngine.inMemory(directory);
      case BEANSTALKD_JOURNAL -> BeanstalkdEngine.withJournal(directory);
      case BEANSTALKD_FORCED -> BeanstalkdEngine.withJournal(directory, "-f0");
      case POSTGRES -> new PostgresEngine(directory);
      case RABBITMQ -> new RabbitEngine(directory);
      case JOURNAL -> Engine.within("journal:" + directory.resolve("journal"));
      case MEMORY -> Engine.within("memory:");
    };
  }
}
