package io.punctual.benchmarks.queue;

import io.punctual.testkit.redis.RedisProcess;
import java.util.OptionalDouble;

/** The one Redis that all trials share, emptied for each. */
final class RedisEngine implements Engine {
  private final RedisProcess redis;

  RedisEngine(RedisProcess redis) {
    this.redis = redis;
    Object unused = redis.ask("FLUSHALL");
  }

  @Override
  public String url() {
    return redis.url();
  }

  @Override
  public OptionalDouble cpuSeconds() {
    return OptionalDouble.of(RedisInfo.cpuSeconds(redis));
  }

  @Override
  public OptionalDouble memoryBytes() {
    return OptionalDouble.of(RedisInfo.usedMemory(redis));
  }

  @Override
  public void close() {}
}
