package io.punctual.journal;

/**
 * A record of a segment that compaction may have to keep.
 *
 * @param segment which one it is in
 * @param type message, state or removal
 * @param home of a removal, the number of the segment that the message was in
 */
record Kept(
    Segment segment,
    RecordType type,
    int queue,
    long sequence,
    int hash,
    int home,
    int offset,
    int length) {
  boolean isMessage() {
    return type == RecordType.MESSAGE;
  }

  /** Where the record is. */
  long location() {
    return Location.of(segment.file(), offset);
  }

  boolean isRemoval() {
    return type == RecordType.REMOVAL;
  }

  boolean isState() {
    return type == RecordType.STATE;
  }
}
