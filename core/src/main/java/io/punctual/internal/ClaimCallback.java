package io.punctual.internal;

import io.punctual.spi.Reply;
import org.jspecify.annotations.Nullable;

/** Waits for the answer to one claim. Told once, by one of the two methods. */
interface ClaimCallback {
  /**
   * The store answered.
   *
   * @param firstSentNanos when the claim was first sent, on the timer's clock: leases count from
   *     then
   */
  void claimed(Reply.Claimed claimed, long firstSentNanos);

  /**
   * There will be no answer.
   *
   * @param refused why the store refuses to answer, or null if the session was lost and claiming
   *     again makes sense at once
   */
  void abandoned(@Nullable RuntimeException refused);
}
