package io.punctual.benchmarks.locks;

import io.punctual.lock.RedisLocks;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** The locks of a product, called the way its users call it. Safe for use by many threads. */
interface LockContender extends AutoCloseable {
  /** A lock that is held. */
  interface Held {
    void release();
  }

  /** Waits for the lock of this name. */
  Held acquire(String name) throws InterruptedException;

  @Override
  void close();

  /** Ours. */
  record Punctual(RedisLocks locks, boolean fair) implements LockContender {
    @Override
    @SuppressWarnings("resource") // released by the caller
    public Held acquire(String name) throws InterruptedException {
      return (fair ? locks.fair(name) : locks.mutex(name)).acquire()::close;
    }

    @Override
    public void close() {
      locks.close();
    }
  }

  /** Redisson's, of which kind {@code maker} says. */
  record RedissonLocks(RedissonClient client, Maker maker) implements LockContender {
    /** Makes a lock. */
    interface Maker {
      RLock lock(RedissonClient client, String name);
    }

    static RedissonLocks open(String url, Maker maker) {
      Config config = new Config();
      config.useSingleServer().setAddress(url);
      return new RedissonLocks(Redisson.create(config), maker);
    }

    @Override
    public Held acquire(String name) {
      RLock lock = maker.lock(client, name);
      lock.lock();
      return lock::unlock;
    }

    @Override
    public void close() {
      client.shutdown();
    }
  }
}
