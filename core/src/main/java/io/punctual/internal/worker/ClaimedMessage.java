package io.punctual.internal.worker;

import io.punctual.spi.Reply;

/** A message of a claim, with the lease of the claim. */
record ClaimedMessage(Reply.Leased message, ClaimLease lease) {
  String id() {
    return message.id();
  }
}
