package io.punctual.lock.internal.kind;

import static java.util.Objects.requireNonNull;

import io.punctual.lock.OwnedLock;
import io.punctual.lock.ReleaseOutcome;
import io.punctual.lock.internal.attempt.AbstractLock;
import io.punctual.lock.internal.attempt.PendingAcquisition;
import io.punctual.lock.internal.client.StackRoom;
import io.punctual.lock.internal.hold.AbstractHandle;
import java.time.Duration;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** A mutex that its owner can enter again. Immutable. */
public final class ReentrantMutex extends AbstractLock implements OwnedLock {
  private final OwnedMutexes owned;
  private final MutexLock mutex;
  private final @Nullable Object owner;

  /**
   * Creates a mutex for this owner. If the owner is null, each thread that acquires the mutex is
   * its owner.
   */
  public ReentrantMutex(OwnedMutexes owned, MutexLock mutex, @Nullable Object owner) {
    super(mutex.name(), owned.client().executor());
    this.owned = owned;
    this.mutex = mutex;
    this.owner = owner;
  }

  @Override
  public PendingAcquisition ask(long waitNanos) {
    return owned.ask(mutex, owner(), waitNanos);
  }

  @Override
  protected PendingAcquisition askAsync(long waitNanos) {
    if (owner == null) {
      throw new IllegalStateException(
          "Lock '" + name() + "' has no owner without a thread; set an owner with ownedBy");
    }
    return ask(waitNanos);
  }

  private Object owner() {
    return owner == null ? Thread.currentThread() : owner;
  }

  @Override
  public int holdCount() {
    OwnedMutex hold = owned.find(owner(), name());
    return hold == null ? 0 : hold.count();
  }

  @Override
  public boolean isHeldByOwner() {
    return holdCount() > 0;
  }

  /**
   * Undoes an entry of the owner, and returns the outcome; null if the owner has not entered the
   * mutex.
   */
  @Nullable ReleaseOutcome leave() {
    StackRoom.requireForRelease();
    OwnedMutex hold = owned.find(owner(), name());
    return hold == null ? null : AbstractHandle.await(owned.client(), hold.leave(0));
  }

  @Override
  public Lock asLock() {
    return new ThreadLock(new ReentrantMutex(owned, mutex, null));
  }

  @Override
  public OwnedLock ownedBy(Object owner) {
    return new ReentrantMutex(owned, mutex, requireNonNull(owner, "owner"));
  }

  @Override
  public OwnedLock withLease(Duration lease) {
    return new ReentrantMutex(owned, mutex.withLease(lease), owner);
  }

  @Override
  public OwnedLock withReplicas(int replicas) {
    return new ReentrantMutex(owned, mutex.withReplicas(replicas), owner);
  }

  @Override
  public OwnedLock withAllReplicas() {
    return new ReentrantMutex(owned, mutex.withAllReplicas(), owner);
  }
}
