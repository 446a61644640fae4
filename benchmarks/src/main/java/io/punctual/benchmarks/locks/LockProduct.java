package io.punctual.benchmarks.locks;

import io.punctual.lock.RedisLocks;
import org.redisson.api.RedissonClient;

/** The compared locks, with their names in the results. */
enum LockProduct {
  PUNCTUAL("Punctual mutex"),
  REDISSON("Redisson RLock"),
  REDISSON_SPIN("Redisson spin lock"),
  PUNCTUAL_FAIR("Punctual fair lock"),
  REDISSON_FAIR("Redisson fair lock");

  private final String title;

  LockProduct(String title) {
    this.title = title;
  }

  String title() {
    return title;
  }

  LockContender open(String url) {
    return switch (this) {
      case PUNCTUAL -> new LockContender.Punctual(RedisLocks.open(url), false);
      case PUNCTUAL_FAIR -> new LockContender.Punctual(RedisLocks.open(url), true);
      case REDISSON -> LockContender.RedissonLocks.open(url, RedissonClient::getLock);
      case REDISSON_SPIN -> LockContender.RedissonLocks.open(url, RedissonClient::getSpinLock);
      case REDISSON_FAIR -> LockContender.RedissonLocks.open(url, RedissonClient::getFairLock);
    };
  }
}
