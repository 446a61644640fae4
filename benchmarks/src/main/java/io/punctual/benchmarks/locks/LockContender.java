package io.punctual.benchmarks.locks;

import io.punctual.lock.RedisLocks;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** The locks of a product, used through its public API. Safe for use by many threads. */
interface LockContender extends AutoCloseable {
  /** An acquired lock. */
  interface Held {
    void release();
  }

  /** Acquires the lock with this name; waits if another holder has the lock. */
  Held acquire(String name) throws InterruptedException;

  @Override
  void close();

  /** Punctual's locks. */
  record Punctual(RedisLocks locks, boolean fair) implements LockContender {
    @Override
    @SuppressWarnings("resource") // The caller releases the lock.
    public Held acquire(String name) throws InterruptedException {
      return (fair ? locks.fair(name) : locks.mutex(name)).acquire()::close;
    }

    @Override
    public void close() {
      locks.close();
    }
  }

  /** Redisson's locks, of the kind that {@code maker} creates. */
  record RedissonLocks(RedissonClient client, Maker maker) implements LockContender {
    /** Creates a lock. */
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
