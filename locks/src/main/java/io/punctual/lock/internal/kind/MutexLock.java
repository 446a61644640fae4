package io.punctual.lock.internal.kind;

import io.punctual.lock.ExclusiveLock;
import io.punctual.lock.internal.attempt.AbstractLock;
import io.punctual.lock.internal.attempt.Attempts;
import io.punctual.lock.internal.attempt.ServerAcquisition;
import io.punctual.lock.internal.protocol.HandleIds;
import io.punctual.lock.internal.protocol.LockKeys;
import io.punctual.lock.internal.protocol.LockOptions;
import java.time.Duration;
import java.util.concurrent.locks.Lock;

/** A mutex, fair or not. Immutable. */
public final class MutexLock extends AbstractLock implements ExclusiveLock {
  private final Attempts attempts;
  private final OwnedMutexes owned;
  private final LockKeys keys;
  private final String mode;
  private final LockOptions options;

  /**
   * Creates a mutex.
   *
   * @param owned the mutexes that owners hold in this client
   * @param mode {@link HandleIds#PUSHING} or {@link HandleIds#FAIR}
   */
  public MutexLock(
      Attempts attempts, OwnedMutexes owned, LockKeys keys, String mode, LockOptions options) {
    super(keys.name(), attempts.client().executor());
    this.attempts = attempts;
    this.owned = owned;
    this.keys = keys;
    this.mode = mode;
    this.options = options;
  }

  @Override
  public ServerAcquisition ask(long waitNanos) {
    return attempts.start(keys, options, mode, waitNanos);
  }

  @Override
  public Lock asLock() {
    return new ThreadLock(new ReentrantMutex(owned, this, null));
  }

  @Override
  public MutexLock withLease(Duration lease) {
    return with(options.withLease(lease));
  }

  @Override
  public MutexLock withReplicas(int replicas) {
    return with(options.withReplicas(replicas));
  }

  @Override
  public MutexLock withAllReplicas() {
    return with(options.withAllReplicas());
  }

  private MutexLock with(LockOptions other) {
    return new MutexLock(attempts, owned, keys, mode, other);
  }
}
