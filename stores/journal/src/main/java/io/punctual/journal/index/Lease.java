package io.punctual.journal.index;

import io.punctual.journal.format.MessageRecord;
import io.punctual.journal.format.MessageState;
import org.jspecify.annotations.Nullable;

/** A message in somebody's hands. For the journal's thread alone. */
public final class Lease {
  public final int slot;
  public final String id;
  public final long dueMillis;
  public final long token;
  public final int attempt;

  /** Where it is in {@link Leases}. */
  public int index;

  /** Whether the message will not come back; its removal is in the journal already. */
  public boolean cancelled;

  /** The record of a message that will not come back: nobody else keeps it any longer. */
  public @Nullable MessageRecord kept;

  /** The history of a message that will not come back. */
  public byte[] keptHistory = MessageState.NO_HISTORY;

  public Lease(int slot, String id, long dueMillis, long token, int attempt) {
    this.slot = slot;
    this.id = id;
    this.dueMillis = dueMillis;
    this.token = token;
    this.attempt = attempt;
  }
}
