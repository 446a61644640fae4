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

/** A lock that a task holds until its unlock, its extension or the end of its lease. */
final class HeldLock extends AbstractSimpleLock {
  private static final Logger log = LoggerFactory.getLogger(PunctualLockProvider.class);

  private final LockHandle handle;
  private final long startNanos;

  /**
   * Creates a held lock.
   *
   * @param startNanos when the acquisition or the extension was sent
   */
  HeldLock(LockConfiguration configuration, LockHandle handle, long startNanos) {
    super(configuration);
    this.handle = handle;
    this.startNanos = startNanos;
  }

  @Override
  protected void doUnlock() {
    ReleaseOutcome outcome =
        handle.releaseAfter(lockConfiguration.getLockAtLeastFor().minus(held()));
    if (outcome == ReleaseOutcome.LOST) {
      log.warn(
          "Task '{}' held its lock longer than lockAtMostFor, {} s, or the lock was released by"
              + " force: a different process may have run the task meanwhile. Make lockAtMostFor"
              + " longer than the task, or extend the lock",
          lockConfiguration.getName(),
          lockConfiguration.getLockAtMostFor().toMillis() / 1e3);
    }
  }

  private Duration held() {
    return Duration.ofNanos(System.nanoTime() - startNanos);
  }

  @Override
  protected Optional<SimpleLock> doExtend(LockConfiguration extended) {
    if (held().compareTo(lockConfiguration.getLockAtMostFor()) >= 0) {
      // The server keeps very short leases longer.
      handle.close();
      return Optional.empty();
    }
    long sentNanos = System.nanoTime();
    return handle.extend(PunctualLockProvider.lease(extended.getLockAtMostFor()))
        ? Optional.of(new HeldLock(extended, handle, sentNanos))
        : Optional.empty();
  }
}
