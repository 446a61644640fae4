package io.punctual.benchmarks.queue;

import io.punctual.benchmarks.RedisServer;
import io.punctual.kit.redis.RedisProcess;
import java.time.Duration;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The Redis server that all trials share, flushed before each trial. */
final class RedisBroker implements Broker {
  /**
   * The longest wait for the server: a contender's last script may run for minutes after its
   * processes have ended.
   */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static final long PAUSE_MILLIS = 200;

  private final RedisProcess redis;

  RedisBroker(RedisProcess redis) {
    this.redis = redis;
    long start = System.nanoTime();
    while (!isEmptied()) {
      if (System.nanoTime() - start > PATIENCE.toNanos()) {
        throw new IllegalStateException("Redis still runs a script of an earlier trial");
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS));
    }
  }

  private boolean isEmptied() {
    try {
      Object unused = redis.ask("FLUSHALL");
      return true;
    } catch (IllegalStateException e) {
      if (String.valueOf(e.getMessage()).startsWith("BUSY")) {
        return false;
      }
      throw e;
    }
  }

  @Override
  public String url() {
    return redis.url();
  }

  @Override
  public OptionalDouble cpuSeconds() {
    return OptionalDouble.of(RedisServer.cpuSeconds(redis));
  }

  @Override
  public OptionalDouble memoryBytes() {
    return OptionalDouble.of(RedisServer.usedMemory(redis));
  }

  @Override
  public void close() {}
}
