package io.punctual.internal.session;

import io.punctual.spi.Reply;

/**
 * Receives the end of a claim. Unless the claim is withdrawn, the session calls either {@link
 * #claimed} or {@link #failed}, once, and holds no lock during the call.
 */
public interface ClaimCallback {
  /**
   * Receives the store's answer.
   *
   * @param firstSentNanos the time at which the claim was first sent, on the timer's clock; the
   *     client counts the leases from this time
   */
  void claimed(Reply.Claimed claimed, long firstSentNanos);

  /**
   * Receives the end of a claim without an answer.
   *
   * @param reason a {@link SessionLostException} if the next claim may succeed at once; otherwise
   *     the reason why the store or the client refuses claims
   */
  void failed(RuntimeException reason);
}
