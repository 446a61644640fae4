package io.punctual.lock;

import java.time.Duration;

/** A lock on one server that several may hold: readers, a writer, permits. Immutable. */
final class ServerLock extends AbstractLock {
  private final LockClient client;
  private final LockKeys place;
  private final String mode;
  private final LockOptions terms;

  /** Creates one; {@code mode} as bucket.lua says. */
  ServerLock(LockClient client, LockKeys place, String mode, LockOptions terms) {
    super(place.name(), client.executor());
    this.client = client;
    this.place = place;
    this.mode = mode;
    this.terms = terms;
  }

  LockOptions terms() {
    return terms;
  }

  @Override
  Pending ask(long waitNanos) {
    return Acquisition.start(client, place, terms, mode, waitNanos);
  }

  @Override
  public DistributedLock withLease(Duration lease) {
    return new ServerLock(client, place, mode, terms.withLease(lease));
  }

  @Override
  public DistributedLock withReplicas(int replicas) {
    return new ServerLock(client, place, mode, terms.withReplicas(replicas));
  }

  @Override
  public DistributedLock withAllReplicas() {
    return new ServerLock(client, place, mode, terms.withAllReplicas());
  }
}
