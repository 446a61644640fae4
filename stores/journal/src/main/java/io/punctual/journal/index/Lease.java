package io.punctual.journal.index;

import io.punctual.journal.format.MessageRecord;
import io.punctual.journal.format.MessageState;
import org.jspecify.annotations.Nullable;

/** The lease of a claimed message. For the journal's thread alone. */
public final class Lease {
  public final int slot;
  public final String id;
  public final long dueMillis;
  public final long token;
  public final int attempt;

  /**
   * The session that claimed the message. Null in a snapshot, which is read from the files, because
   * the files do not name the session.
   */
  public final @Nullable String holder;

  public int index;

  /**
   * Whether the message was cancelled during the lease. The removal of the message is then in the
   * journal already, and the message will not become due again.
   */
  public boolean cancelled;

  /**
   * The record of the message if it was cancelled, because compaction may delete the record in the
   * journal. Null if the message was not cancelled.
   */
  public @Nullable MessageRecord kept;

  /**
   * The history of the message if it was cancelled, because compaction may delete the history in
   * the journal; otherwise empty.
   */
  public byte[] keptHistory = MessageState.NO_HISTORY;

  public Lease(
      int slot, String id, long dueMillis, long token, int attempt, @Nullable String holder) {
    this.slot = slot;
    this.id = id;
    this.dueMillis = dueMillis;
    this.token = token;
    this.attempt = attempt;
    this.holder = holder;
  }
}
