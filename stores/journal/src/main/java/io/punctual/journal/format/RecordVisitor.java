package io.punctual.journal.format;

import io.punctual.PauseNote;
import io.punctual.QueueLimits;

/**
 * Receives the records of a segment, except the footer, in their order, from the segment or from
 * its hint.
 */
public interface RecordVisitor {
  /**
   * A new message. If it replaced a message, {@code replaced} is the sequence number of the
   * replaced message and {@code home} the number of its segment; otherwise both are 0.
   */
  void message(
      int queue, long sequence, int hash, long dueMillis, long replaced, int home, Span at);

  void state(int queue, MessageState state, Span at);

  /**
   * The removal of a message. The message's record was in the segment with the number {@code home}.
   * From a hint, {@code at} has only the length.
   */
  void removal(int queue, long sequence, int hash, int home, Span at);

  /** A queue has got a number. */
  void queue(int queue, String name);

  void paused(int queue, boolean paused);

  /** The note of a queue's pause, in a record after the record of the pause. */
  void pauseNote(int queue, PauseNote note);

  void limits(int queue, QueueLimits limits);

  /**
   * A queue was deleted. A later record may create a queue of the same name with the same number.
   */
  void deleted(int queue);

  /**
   * All sequence numbers below {@code nextSequence}, and all tokens up to {@code tokenCeiling}, may
   * have been assigned.
   */
  void marks(long nextSequence, long tokenCeiling);

  /**
   * The position of a record's first byte in the segment, and the record's length, in bytes. The
   * same object is reused for all records.
   */
  final class Span {
    public int offset;
    public int length;
  }
}
