package io.punctual.embedded;

import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a partition as {@link PartitionRules} see them, and the moves of a message
 * between {@link Place}s. A place is a stored state. A store decides how it keeps messages; the
 * rules decide which move follows from which operation. A store with a journal writes the record of
 * a move before it changes the message. A read or a move that throws has changed nothing.
 *
 * <p>Used under the partition's lock, or on the partition's thread.
 *
 * @param <P> the form of an operation that the store has prepared
 */
public interface PartitionTable<P> extends Slots {
  /** The slot of the message with the operation's id; {@link #NONE} if there is no such message. */
  int find(P operation);

  /**
   * The slot of the leased message with the operation's id; {@link #NONE} if there is no such
   * message.
   */
  int findLeased(P operation);

  /**
   * The due time of a message, in any place; it may be in the past. For a finished message, the
   * time at which its id is forgotten.
   */
  long dueMillis(int slot);

  /** The fencing token of a leased message. */
  long token(int slot);

  /** Returns whether a message is leased and was cancelled during the lease. */
  boolean isCancelled(int slot);

  /**
   * Returns why the store has no room for a message or a remembered id, or null if it has room.
   *
   * @param slot the slot of the message to replace, or {@link #NONE} for a new message
   */
  Outcome.@Nullable Full whyFull(int slot);

  /** Adds a waiting message, with the id and the content of an operation. */
  void add(P operation, long dueMillis);

  /**
   * Adds a waiting message or a dead letter with its attempts and its history.
   *
   * @param operation the operation {@code asked} in the form that the store has prepared
   */
  void restore(P operation, Operation.Restore asked);

  /**
   * Adds the id of a finished message.
   *
   * @param operation the operation in the form that the store has prepared
   * @param untilMillis the time at which the id is forgotten
   */
  void remember(P operation, long untilMillis);

  /**
   * Replaces a message by a waiting message with the same id and the content of an operation,
   * without attempts and history.
   */
  void replace(int slot, P operation, long dueMillis);

  /** Changes the due time of a waiting message. */
  void move(int slot, long dueMillis);

  /** Marks a leased message as cancelled. */
  void markCancelled(int slot);

  /** Changes the end of a lease. */
  void extend(int slot, long untilMillis);

  /** Ends a lease; the message waits again with this history. */
  void retry(int slot, long dueMillis, byte[] history);

  /** Ends a lease; the message waits again, and the attempt is not counted. */
  void release(int slot, long dueMillis);

  /** Ends a lease; the message becomes a dead letter. */
  void bury(int slot, long nowMillis, byte[] history);

  /**
   * Ends a lease; the message is finished, and only its id stays.
   *
   * @param operation the ack in the form that the store has prepared
   * @param untilMillis the time at which the id is forgotten
   */
  void finish(int slot, P operation, long untilMillis);

  /**
   * The slot of the remembered id that expired first; {@link #NONE} if no id has expired, or if the
   * store removes expired ids by itself.
   */
  int firstForgotten(long nowMillis);

  /** Makes a leased or dead message wait, and clears its attempts and its history. */
  void restart(int slot, long dueMillis);

  /** Removes a message from any place. */
  void remove(int slot);
}
