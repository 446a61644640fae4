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
 * A lock provider for ShedLock on distributed locks. The lock of a task is the mutex with the
 * task's lock name. So a program can wait for it with {@link RedisLocks#mutex}, and the commands
 * {@code punctual lock} show and release it.
 *
 * <pre>{@code
 * LockProvider provider = new PunctualLockProvider(RedisLocks.open("redis://localhost:6379"));
 * }</pre>
 *
 * <p>The time {@code lockAtMostFor} is the lease of the lock, from 10 milliseconds to 30 days; a
 * shorter time counts as 10 milliseconds. The lease counts from the acquisition by the server's
 * clock, and an extension never makes it shorter. The time {@code lockAtLeastFor} counts from the
 * server's reply. This process measures it with its monotonic clock until the unlock. Then the
 * server keeps the lock for the rest of the time, even if this process ends. A change of this
 * process's wall clock affects neither time.
 *
 * <p>An empty result means that the server answered and that a different holder has the lock. If
 * the server does not answer, {@link #lock} throws {@link io.punctual.StoreUnavailableException},
 * and this process does not hold the lock. The provider does not close the {@link RedisLocks}. Safe
 * for use by many threads.
 */
public final class PunctualLockProvider implements ExtensibleLockProvider {
  private static final Duration SHORTEST = Duration.ofMillis(10);

  private final RedisLocks locks;

  /** Creates a provider that uses these locks; the caller must close them. */
  public PunctualLockProvider(RedisLocks locks) {
    this.locks = Objects.requireNonNull(locks, "locks");
  }

  /**
   * Acquires the lock if it is free.
   *
   * @throws IllegalArgumentException if the name or {@code lockAtMostFor} exceeds the limits of a
   *     lock
   * @throws io.punctual.PunctualException if the server does not answer or refuses the call; then
   *     this process does not hold the lock
   */
  @Override
  public Optional<SimpleLock> lock(LockConfiguration configuration) {
    ExclusiveLock lock =
        locks.mutex(configuration.getName()).withLease(lease(configuration.getLockAtMostFor()));
    long sentNanos = System.nanoTime();
    Optional<LockHandle> handle = lock.tryAcquire();
    return handle.map(held -> new HeldLock(configuration, held, sentNanos, System.nanoTime()));
  }

  /**
   * Returns the lease on the server: {@code lockAtMostFor}, or 10 milliseconds if it is shorter.
   */
  static Duration lease(Duration lockAtMostFor) {
    return lockAtMostFor.compareTo(SHORTEST) < 0 ? SHORTEST : lockAtMostFor;
  }

  @Override
  public String toString() {
    return "PunctualLockProvider";
  }
}
