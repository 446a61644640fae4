package io.punctual.lock;

import java.time.Duration;
import java.util.concurrent.locks.Lock;

/** A mutex, fair or not. Immutable. */
final class MutexLock extends AbstractLock implements ExclusiveLock {
  /** Modes as bucket.lua says. */
  static final String PUSHING = "x";

  static final String FAIR = "f";

  private final LockClient client;
  private final LockKeys place;
  private final String mode;
  private final LockOptions terms;

  MutexLock(LockClient client, LockKeys place, String mode, LockOptions terms) {
    super(place.name(), client.executor());
    this.client = client;
    this.place = place;
    this.mode = mode;
    this.terms = terms;
  }

  @Override
  Pending ask(long waitNanos) {
    return Acquisition.start(client, place, terms, mode, waitNanos);
  }

  @Override
  public Lock asLock() {
    return new ThreadLock(new ReentrantMutex(client, this, null));
  }

  @Override
  public MutexLock withLease(Duration lease) {
    return new MutexLock(client, place, mode, terms.withLease(lease));
  }

  @Override
  public MutexLock withReplicas(int replicas) {
    return new MutexLock(client, place, mode, terms.withReplicas(replicas));
  }

  @Override
  public MutexLock withAllReplicas() {
    return new MutexLock(client, place, mode, terms.withAllReplicas());
  }
}
