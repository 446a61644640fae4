package io.punctual.journal.upkeep;

import io.punctual.journal.format.Location;
import io.punctual.journal.format.RecordType;
import io.punctual.journal.log.Segment;

/**
 * A record in a segment that a compaction reads.
 *
 * @param type message, replacement, state or removal
 * @param sequence the sequence number of the message, or of the message that a removal removes
 * @param replaced the sequence number of the message that a replacement removes
 * @param home the number of the segment of the message that a removal or a replacement removes
 */
record SegmentRecord(
    Segment segment,
    RecordType type,
    int queue,
    long sequence,
    int hash,
    long replaced,
    int home,
    int offset,
    int length) {
  long location() {
    return Location.of(segment.file(), offset);
  }

  boolean isRemoval() {
    return type == RecordType.REMOVAL;
  }

  boolean isState() {
    return type == RecordType.STATE;
  }

  /**
   * Whether the record removes a message. Without the record, a start could restore the message.
   */
  boolean removes() {
    return type == RecordType.REMOVAL || type == RecordType.REPLACEMENT;
  }

  /** Returns the removal in a record that {@link #removes} a message. */
  SegmentRecord removal() {
    return isRemoval()
        ? this
        : new SegmentRecord(
            segment, RecordType.REMOVAL, queue, replaced, hash, 0, home, offset, length);
  }
}
