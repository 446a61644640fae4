package io.punctual.shedlock;

import io.punctual.lock.LockHandle;
import io.punctual.lock.ReleaseOutcome;
import java.time.Duration;
import java.util.Optional;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lock that a task holds. The lock ends with an unlock, or at the end of its lease. An extension
 * replaces this object by a new object.
 */
final class HeldLock extends AbstractSimpleLock {
  private static final Logger log = LoggerFactory.getLogger(PunctualLockProvider.class);

  private final LockHandle handle;
  private final long sentNanos;
  private final long repliedNanos;

  /**
   * Creates a held lock.
   *
   * @param sentNanos the {@link System#nanoTime} at which the acquisition or the extension was
   *     sent; {@code lockAtMostFor} on the server starts at this moment or later
   * @param repliedNanos the {@link System#nanoTime} at which the reply arrived; {@code
   *     lockAtLeastFor} starts at this moment
   */
  HeldLock(LockConfiguration configuration, LockHandle handle, long sentNanos, long repliedNanos) {
    super(configuration);
    this.handle = handle;
    this.sentNanos = sentNanos;
    this.repliedNanos = repliedNanos;
  }

  @Override
  protected void doUnlock() {
    ReleaseOutcome outcome =
        handle.releaseAfter(lockConfiguration.getLockAtLeastFor().minus(since(repliedNanos)));
    if (outcome == ReleaseOutcome.LOST) {
      log.warn(
          "Task '{}' held its lock longer than lockAtMostFor, {} s, or the lock was released by"
              + " force: a different process may have run the task meanwhile. Make lockAtMostFor"
              + " longer than the task, or extend the lock",
          lockConfiguration.getName(),
          lockConfiguration.getLockAtMostFor().toMillis() / 1e3);
    }
  }

  private static Duration since(long nanos) {
    return Duration.ofNanos(System.nanoTime() - nanos);
  }

  @Override
  protected Optional<SimpleLock> doExtend(LockConfiguration extended) {
    if (since(sentNanos).compareTo(lockConfiguration.getLockAtMostFor()) >= 0) {
      // The time lockAtMostFor has passed, but the server may still hold the lock: its lease began
      // after the request was sent, and lasts at least 10 milliseconds.
      handle.close();
      return Optional.empty();
    }
    long extensionNanos = System.nanoTime();
    return handle.extend(PunctualLockProvider.lease(extended.getLockAtMostFor()))
        ? Optional.of(new HeldLock(extended, handle, extensionNanos, System.nanoTime()))
        : Optional.empty();
  }
}
