package io.punctual.journal.format;

/**
 * Receives the records of a segment in their order, from the segment or from its hint. An offset is
 * the position of the record's first byte in the segment.
 */
public interface RecordVisitor {
  /** A message; {@code replaced} is the number of the message that it replaced, or 0. */
  void message(
      int queue, long sequence, int hash, long dueMillis, long replaced, int home, Span at);

  /** A change of a message. */
  void state(int queue, MessageState state, Span at);

  /** The end of a message; its record was in the segment with the number {@code home}. */
  void removal(int queue, long sequence, int hash, int home, Span at);

  /** The number of a queue. */
  void queue(int queue, String name);

  /** Whether a queue is paused. */
  void paused(int queue, boolean paused);

  /** A queue was deleted. A queue of the same name may follow, under the same number. */
  void deleted(int queue);

  /** All sequence numbers below the first, and all tokens up to the second may have been given. */
  void marks(long nextSequence, long tokenCeiling);

  /** Where a record is: one object, used again for each record. */
  final class Span {
    public int offset;
    public int length;
  }
}
