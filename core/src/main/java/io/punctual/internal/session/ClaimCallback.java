package io.punctual.internal.session;

import io.punctual.spi.Reply;

/**
 * Receives the end of a claim: a single call of {@link #claimed} or {@link #failed}, without any
 * lock of the runtime.
 */
public interface ClaimCallback {
  /**
   * The store answered.
   *
   * @param firstSentNanos when the claim was first sent, on the timer's clock: leases count from
   *     then
   */
  void claimed(Reply.Claimed claimed, long firstSentNanos);

  /**
   * There is no answer.
   *
   * @param reason a {@link SessionLostException} if the next claim may succeed at once; otherwise
   *     why the store or the client refuses claims
   */
  void failed(RuntimeException reason);
}
