package io.punctual.lock.internal.kind;

import io.punctual.lock.DistributedLock;
import io.punctual.lock.internal.attempt.AbstractLock;
import io.punctual.lock.internal.attempt.Attempts;
import io.punctual.lock.internal.attempt.PendingAcquisition;
import io.punctual.lock.internal.protocol.LockKeys;
import io.punctual.lock.internal.protocol.LockOptions;
import java.time.Duration;

/**
 * One half of a read-write lock on a server: the lock for readers, or the lock for writers.
 * Immutable.
 */
final class ServerLock extends AbstractLock {
  private final Attempts attempts;
  private final LockKeys keys;
  private final String mode;
  private final LockOptions options;

  /** Creates a lock; bucket.lua defines the modes. */
  ServerLock(Attempts attempts, LockKeys keys, String mode, LockOptions options) {
    super(keys.name(), attempts.client().executor());
    this.attempts = attempts;
    this.keys = keys;
    this.mode = mode;
    this.options = options;
  }

  LockOptions options() {
    return options;
  }

  @Override
  public PendingAcquisition ask(long waitNanos) {
    return attempts.start(keys, options, mode, waitNanos);
  }

  @Override
  public DistributedLock withLease(Duration lease) {
    return new ServerLock(attempts, keys, mode, options.withLease(lease));
  }

  @Override
  public DistributedLock withReplicas(int replicas) {
    return new ServerLock(attempts, keys, mode, options.withReplicas(replicas));
  }

  @Override
  public DistributedLock withAllReplicas() {
    return new ServerLock(attempts, keys, mode, options.withAllReplicas());
  }
}
