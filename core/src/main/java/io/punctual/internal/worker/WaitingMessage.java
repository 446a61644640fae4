package io.punctual.internal.worker;

import io.punctual.internal.delivery.ClaimedMessage;
import io.punctual.internal.delivery.LeaseEnd;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A message that waits in a {@link WorkerPrefetch} for a free handler. The lock of the prefetch
 * guards its changes.
 */
final class WaitingMessage {
  private final int bytes;
  private final AtomicBoolean renewing = new AtomicBoolean();
  private volatile ClaimedMessage claimed;
  private boolean starting;

  WaitingMessage(ClaimedMessage claimed) {
    this.claimed = claimed;
    this.bytes = claimed.message().content().approximateBytes();
  }

  /** Returns the message, with its latest lease. */
  ClaimedMessage claimed() {
    return claimed;
  }

  int bytes() {
    return bytes;
  }

  /** Returns whether a handler is about to receive the message. */
  boolean isStarting() {
    return starting;
  }

  void starting(boolean starts) {
    starting = starts;
  }

  /** Notes that a renewal begins; returns false if a renewal is in flight already. */
  boolean beginRenewal() {
    return renewing.compareAndSet(false, true);
  }

  void endRenewal() {
    renewing.set(false);
  }

  /** Sets the new end of the lease, unless a handler is about to receive the message. */
  void renewed(LeaseEnd end) {
    if (!starting) {
      claimed = new ClaimedMessage(claimed.message(), claimed.lease().until(end));
    }
  }
}
