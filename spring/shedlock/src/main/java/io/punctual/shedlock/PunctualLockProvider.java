package io.punctual.shedlock;

import io.punctual.lock.ExclusiveLock;
import io.punctual.lock.LockHandle;
import io.punctual.lock.RedisLocks;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * A lock provider for ShedLock on distributed locks. The lock of a task is the mutex of the task's
 * lock name: a program can wait for it by {@link RedisLocks#mutex}, and {@code punctual lock}
 * commands show and release it.
 *
 * <pre>{@code
 * LockProvider provider = new PunctualLockProvider(RedisLocks.open("redis://localhost:6379"));
 * }</pre>
 *
 * <p>The time {@code lockAtMostFor} is the lease of the lock, up to 30 days; the server keeps the
 * lock for 10 milliseconds at least. The lease counts from the acquisition by the server's clock,
 * and an extension never makes it shorter. The time {@code lockAtLeastFor} counts from the server's
 * reply: by this process's monotonic clock until the unlock, and then by the server's, so that it
 * outlasts the end of this process. A change of the wall clock has no effect on either.
 *
 * <p>An empty result means that the server answered, and the lock is taken. If the server does not
 * answer, {@link #lock} throws {@link io.punctual.StoreUnavailableException}, and the lock is not
 * held. The provider does not close the locks. Safe for use by many threads.
 */
public final class PunctualLockProvider implements ExtensibleLockProvider {
  private static final Duration SHORTEST = Duration.ofMillis(10);

  private final RedisLocks locks;

  /** Creates a provider on these locks, which stay open until the caller closes them. */
  public PunctualLockProvider(RedisLocks locks) {
    this.locks = Objects.requireNonNull(locks, "locks");
  }

  /**
   * Acquires the lock if it is free.
   *
   * @throws IllegalArgumentException if the name or {@code lockAtMostFor} exceeds the limits of a
   *     lock
   * @throws io.punctual.PunctualException if the server does not answer or refuses; the lock is not
   *     held then
   */
  @Override
  public Optional<SimpleLock> lock(LockConfiguration configuration) {
    ExclusiveLock lock =
        locks.mutex(configuration.getName()).withLease(lease(configuration.getLockAtMostFor()));
    long sentNanos = System.nanoTime();
    Optional<LockHandle> handle = lock.tryAcquire();
    return handle.map(held -> new HeldLock(configuration, held, sentNanos, System.nanoTime()));
  }

  /** Returns the lease on the server, which has a lower limit. */
  static Duration lease(Duration lockAtMostFor) {
    return lockAtMostFor.compareTo(SHORTEST) < 0 ? SHORTEST : lockAtMostFor;
  }

  @Override
  public String toString() {
    return "PunctualLockProvider";
  }
}
