package io.punctual.journal;

/**
 * A record of a segment that compaction may have to keep.
 *
 * @param type message, state or removal
 * @param home of a removal, the number of the segment that the message was in
 */
record Kept(RecordType type, int queue, long sequence, int hash, int home, int offset, int length) {
  boolean isRemoval() {
    return type == RecordType.REMOVAL;
  }

  boolean isState() {
    return type == RecordType.STATE;
  }
}
