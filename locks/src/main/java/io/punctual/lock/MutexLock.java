package io.punctual.lock;

import java.time.Duration;
import java.util.concurrent.locks.Lock;

/** A mutex, fair or not. Immutable. */
final class MutexLock extends AbstractLock implements ExclusiveLock {
  /** The mode in the handles of an unfair mutex; bucket.lua lists all modes. */
  static final String PUSHING = "x";

  static final String FAIR = "f";

  private final LockClient client;
  private final LockKeys keys;
  private final String mode;
  private final LockOptions options;

  MutexLock(LockClient client, LockKeys keys, String mode, LockOptions options) {
    super(keys.name(), client.executor());
    this.client = client;
    this.keys = keys;
    this.mode = mode;
    this.options = options;
  }

  @Override
  PendingAcquisition ask(long waitNanos) {
    return Acquisition.start(client, keys, options, mode, waitNanos);
  }

  @Override
  public Lock asLock() {
    return new ThreadLock(new ReentrantMutex(client, this, null));
  }

  @Override
  public MutexLock withLease(Duration lease) {
    return new MutexLock(client, keys, mode, options.withLease(lease));
  }

  @Override
  public MutexLock withReplicas(int replicas) {
    return new MutexLock(client, keys, mode, options.withReplicas(replicas));
  }

  @Override
  public MutexLock withAllReplicas() {
    return new MutexLock(client, keys, mode, options.withAllReplicas());
  }
}
