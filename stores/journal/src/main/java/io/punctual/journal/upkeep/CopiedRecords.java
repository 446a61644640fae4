package io.punctual.journal.upkeep;

import io.punctual.journal.format.Location;
import io.punctual.journal.format.RecordBuffer;
import io.punctual.journal.format.RecordType;
import io.punctual.journal.index.DueHeap;
import java.nio.ByteBuffer;
import java.util.Deque;
import java.util.LinkedList;

/**
 * The records that a compaction copies, in the order in which they are copied: removals, then
 * messages by time, then states. Removals can come first, because the messages that they remove are
 * in files outside this compaction. A state follows its message. In memory a removal takes 25
 * bytes, and a message or a state about 20 to 30 bytes. For one thread.
 */
final class CopiedRecords {
  /**
   * The due time that states get here. States therefore follow the messages, in the order in which
   * they were found.
   */
  static final long LAST = Long.MAX_VALUE;

  private static final int PIECE_BYTES = 1 << 16;
  private static final int REMOVAL = RecordType.REMOVAL.leastLength();

  @SuppressWarnings("JdkObsolete") // An ArrayDeque that can't grow loses its elements.
  private final Deque<RecordBuffer> removals = new LinkedList<>();

  private final DueHeap others = new DueHeap();

  boolean isEmpty() {
    return removals.isEmpty() && others.size() == 0;
  }

  void removal(SegmentRecord record) {
    RecordBuffer piece = removals.peekLast();
    if (piece == null || piece.size() + REMOVAL > PIECE_BYTES) {
      piece = new RecordBuffer(0, PIECE_BYTES);
      removals.add(piece);
    }
    piece.removal(record.queue(), record.sequence(), record.hash(), record.home());
  }

  /**
   * Adds a message or a state.
   *
   * @param segment the index of the record's segment in the list of segments that are compacted
   *     together
   */
  void other(SegmentRecord record, int segment, long dueMillis) {
    others.add(dueMillis, Location.of(segment, record.offset()), record.length());
  }

  /** Removes and returns the next removals, as whole records; an empty buffer if none are left. */
  ByteBuffer nextRemovals() {
    RecordBuffer piece = removals.poll();
    return piece == null ? ByteBuffer.allocate(0) : piece.written();
  }

  /** Whether messages or states are left. */
  boolean hasOther() {
    return others.size() > 0;
  }

  /** The index of the segment and the offset of the next message or state. */
  long otherLocation() {
    return others.firstArrival();
  }

  int otherLength() {
    return others.firstSlot();
  }

  void removeOther() {
    others.removeFirst();
  }
}
