package io.punctual.lock.internal.quorum;

import io.punctual.StoreUnavailableException;
import io.punctual.lock.LockKind;
import io.punctual.lock.ReleaseOutcome;
import io.punctual.lock.internal.hold.Hold;
import io.punctual.lock.internal.hold.LockLease;
import java.util.concurrent.CompletableFuture;

/**
 * An acquired quorum lock. A renewal counts only if this handle still holds the lock on a majority
 * of the servers. A server that has lost the lock may grant it again only after such a renewal. The
 * release is sent after all requests to grant the lock again, over the same connections.
 * Thread-safe.
 */
final class QuorumHold extends Hold {
  private final QuorumLock lock;
  private final String handle;

  /**
   * Held while {@link #takeAgain} or the release sends its requests, so that no server is asked for
   * the lock again after the release.
   */
  private final Object order = new Object();

  QuorumHold(QuorumLock lock, String handle, long untilNanos) {
    super(
        lock.first().watchdog(),
        LockKind.QUORUM,
        lock.name(),
        lock.options(),
        0,
        new LockLease(untilNanos));
    this.lock = lock;
    this.handle = handle;
  }

  @Override
  public String id() {
    return handle;
  }

  @Override
  protected void renew() {
    long sentAt = client().nanoTime();
    lock.renew(handle, false).thenAccept(votes -> voted(votes, lock.untilNanos(sentAt)));
  }

  private void voted(QuorumVotes votes, long until) {
    if (votes.isMajority()) {
      takeAgain();
      watchdog().renewed(this, until);
    } else if (votes.isOutOfReach()) {
      lose("a majority of the servers has lost it");
    } else {
      watchdog().tryAgain(this);
    }
  }

  /**
   * Asks the servers that have lost the lock to grant it again. This happens only after the votes
   * on a renewal are counted, because such a server would otherwise vote as if it had never lost
   * the lock.
   */
  private void takeAgain() {
    synchronized (order) {
      if (isHeld()) {
        lock.renew(handle, true);
      }
    }
  }

  @Override
  protected CompletableFuture<Boolean> askToExtend(long leaseMillis) {
    lease().extend(leaseMillis);
    long sentAt = client().nanoTime();
    return lock.extend(handle, leaseMillis)
        .thenApply(votes -> extended(votes, QuorumLock.untilNanos(sentAt, leaseMillis)));
  }

  private boolean extended(QuorumVotes votes, long until) {
    if (votes.isMajority()) {
      renewed(until);
    } else if (votes.isOutOfReach()) {
      lose("a majority of the servers has lost it");
    } else {
      throw new StoreUnavailableException(
          "Quorum lock '" + name() + "' was not extended: too few servers answered", null);
    }
    return isHeld();
  }

  @Override
  public CompletableFuture<ReleaseOutcome> giveBack(long keepMillis) {
    if (keepMillis > 0) {
      throw new UnsupportedOperationException(
          "A quorum lock cannot be kept after its release; extend it, or use a mutex");
    }
    return super.giveBack(0);
  }

  @Override
  protected CompletableFuture<ReleaseOutcome> keep(long millis) {
    throw new IllegalStateException("giveBack refuses it");
  }

  @Override
  protected CompletableFuture<ReleaseOutcome> sendRelease() {
    CompletableFuture<QuorumVotes> removed;
    synchronized (order) {
      removed = lock.remove(handle, lease().longestMillis(options()));
    }
    return removed.thenApply(
        votes -> {
          if (votes.isMajority()) {
            return ReleaseOutcome.RELEASED;
          }
          return votes.isOutOfReach() ? ReleaseOutcome.LOST : ReleaseOutcome.UNCONFIRMED;
        });
  }
}
