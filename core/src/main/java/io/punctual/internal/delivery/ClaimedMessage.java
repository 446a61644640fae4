package io.punctual.internal.delivery;

import io.punctual.spi.Reply;
import org.jspecify.annotations.Nullable;

/** A message of a claim, with its lease at the time when a consumer receives it. Thread-safe. */
public final class ClaimedMessage {
  private final Reply.Leased message;
  private final ClaimLease lease;
  private volatile boolean lost;
  private volatile @Nullable HeldLease held;

  public ClaimedMessage(Reply.Leased message, ClaimLease lease) {
    this.message = message;
    this.lease = lease;
  }

  public Reply.Leased message() {
    return message;
  }

  public ClaimLease lease() {
    return lease;
  }

  public String id() {
    return message.id();
  }

  /**
   * Notes that the store refused to renew the lease: no consumer receives the message any more, and
   * the consumer that has received it learns of the loss.
   */
  public void lost() {
    lost = true;
    HeldLease delivered = held;
    if (delivered != null && !delivered.isSettled()) {
      delivered.lose();
    }
  }

  boolean isLost() {
    return lost;
  }

  /** Notes that a consumer receives the message. */
  void delivered(HeldLease its) {
    held = its;
    if (lost) {
      its.lose();
    }
  }
}
