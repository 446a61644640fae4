package io.punctual.journal;

import org.jspecify.annotations.Nullable;

/** A message in somebody's hands. For the engine's thread alone. */
final class Lease {
  final int slot;
  final String id;
  final long dueMillis;
  final long token;
  final int attempt;

  /** Where it is in {@link Leases}. */
  int index;

  /** Whether the message will not come back; its removal is in the journal already. */
  boolean cancelled;

  /** The record of a message that will not come back: nobody else keeps it any longer. */
  @Nullable MessageRecord kept;

  /** The history of a message that will not come back. */
  byte[] keptHistory = PartitionState.NO_HISTORY;

  Lease(int slot, String id, long dueMillis, long token, int attempt) {
    this.slot = slot;
    this.id = id;
    this.dueMillis = dueMillis;
    this.token = token;
    this.attempt = attempt;
  }
}
