package io.punctual.internal.delivery;

import io.punctual.spi.Reply;

/** A message of a claim, with the lease of the claim. */
public record ClaimedMessage(Reply.Leased message, ClaimLease lease) {
  public String id() {
    return message.id();
  }
}
