package io.punctual.internal.session;

import io.punctual.spi.Call;
import io.punctual.spi.Reply;

/** A claim that has no answer yet. Immutable. */
record PendingClaim(Call.Claim claim, ClaimCallback callback) implements Pending {
  void claimed(Reply.Claimed claimed, long firstSentNanos) {
    callback.claimed(claimed, firstSentNanos);
  }

  @Override
  public void failed(RuntimeException reason) {
    callback.failed(reason);
  }
}
