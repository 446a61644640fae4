package io.punctual.internal.worker;

import io.punctual.internal.delivery.ClaimLease;
import io.punctual.internal.delivery.ClaimedMessage;
import io.punctual.internal.delivery.DeliveryRules;
import io.punctual.internal.delivery.LeaseEnd;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.session.OperationCallback;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Keeps the leases of the messages that wait in a {@link WorkerPrefetch}. While messages wait, it
 * checks their leases every sixth of a lease's length, and renews each lease of which two thirds or
 * less remain. A message whose lease is lost, or that was cancelled, waits no longer. It uses one
 * timer entry and no thread. Thread-safe.
 */
final class PrefetchLeases {
  private final Environment env;
  private final DeliveryRules<?> rules;
  private final long leaseMillis;
  private final WorkerPrefetch prefetch;
  private final AtomicBoolean scheduled = new AtomicBoolean();

  PrefetchLeases(
      Environment env, DeliveryRules<?> rules, long leaseMillis, WorkerPrefetch prefetch) {
    this.env = env;
    this.rules = rules;
    this.leaseMillis = leaseMillis;
    this.prefetch = prefetch;
  }

  /** Starts the checks, because messages wait. */
  void added() {
    if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
      try {
        env.timer().schedule(leaseNanos() / 6, this::look);
      } catch (RejectedExecutionException timerClosed) {
        scheduled.set(false);
      } catch (Throwable e) {
        scheduled.set(false);
        throw e;
      }
    }
  }

  private long leaseNanos() {
    return TimeUnit.MILLISECONDS.toNanos(leaseMillis);
  }

  private void look() {
    scheduled.set(false);
    if (prefetch.isEmpty()) {
      return;
    }
    added();
    List<WaitingMessage> waiting = prefetch.messages();
    long now = env.nanoTime();
    for (WaitingMessage message : waiting) {
      ClaimLease lease = message.claimed().lease();
      if (lease.isOver(now)) {
        lost(message);
      } else if (lease.deadlineNanos() - now <= leaseNanos() / 3 * 2) {
        renew(message, message.claimed());
      }
    }
    prefetch.run(); // An error may have kept messages from starting.
  }

  private void lost(WaitingMessage message) {
    if (prefetch.removeIfWaiting(message)) {
      rules.tooLate(message.claimed().message(), message.claimed().lease());
    } else {
      message.claimed().lost(); // It waits in a batch or for a thread, or was received.
    }
  }

  private void renew(WaitingMessage message, ClaimedMessage claimed) {
    if (message.beginRenewal()) {
      Operation extend = new Operation.Extend(claimed.id(), claimed.lease().token(), leaseMillis);
      claimed.lease().session().submit(extend, null, new Renewal(message));
    }
  }

  private final class Renewal implements OperationCallback {
    private final WaitingMessage message;
    private final long wallAheadNanos = env.wallAheadNanos();

    Renewal(WaitingMessage message) {
      this.message = message;
    }

    @Override
    public void completed(Outcome outcome, long firstSentNanos) {
      message.endRenewal();
      if (!(outcome instanceof Outcome.OfSettlement settlement)) {
        return; // The next check tries again.
      }
      switch (settlement.outcome()) {
        case DONE -> renewed(firstSentNanos + leaseNanos());
        case LEASE_LOST -> lost(message);
        case CANCELLED, DISCARDED -> discard();
      }
    }

    private void renewed(long deadlineNanos) {
      prefetch.renewed(message, new LeaseEnd(deadlineNanos, wallAheadNanos));
      ClaimedMessage claimed = message.claimed();
      long token = claimed.lease().token();
      rules.settling().isolation().extended(claimed.id(), token, deadlineNanos);
    }

    /** Returns a cancelled message to the store, which removes it. */
    private void discard() {
      if (prefetch.removeIfWaiting(message)) {
        rules.release(message.claimed());
      }
    }

    @Override
    public void failed(RuntimeException reason) {
      message.endRenewal(); // The next check tries again.
    }
  }
}
