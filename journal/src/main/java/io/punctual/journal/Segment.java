package io.punctual.journal;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A segment of the journal, and the account of what in it is still needed. For the engine's thread
 * alone, but for the file.
 */
final class Segment {
  private final SegmentHeader header;

  /** Set by the writer before any record in it is safe, and read only after. */
  private volatile @Nullable DiskFile file;

  /** Where the next frame goes. */
  private long length = SegmentHeader.LENGTH;

  private boolean sealed;
  private boolean damaged;
  private long liveBytes;

  /** How many bytes of removals there are, by the number of the segment that they are about. */
  private final Map<Integer, Long> removals = new TreeMap<>();

  Segment(SegmentHeader header) {
    this.header = header;
  }

  SegmentHeader header() {
    return header;
  }

  int file() {
    return header.file();
  }

  String name() {
    return FileNames.segment(header.file());
  }

  void opened(DiskFile opened) {
    file = opened;
  }

  DiskFile opened() {
    DiskFile opened = file;
    if (opened == null) {
      throw new IllegalStateException(name() + " is not open");
    }
    return opened;
  }

  boolean isOpened() {
    return file != null;
  }

  long length() {
    return length;
  }

  void length(long length) {
    this.length = length;
  }

  boolean isSealed() {
    return sealed;
  }

  void seal() {
    sealed = true;
  }

  /** Whether it is damaged, so that compaction leaves it as it is. */
  boolean isLeftAlone() {
    return damaged;
  }

  void leaveAlone() {
    damaged = true;
  }

  long liveBytes() {
    return liveBytes;
  }

  /** A record is needed from now on, or, if negative, not any more. */
  void live(int bytes) {
    liveBytes += bytes;
  }

  Map<Integer, Long> removals() {
    return removals;
  }

  void removal(int home, int bytes) {
    removals.merge(home, (long) bytes, Long::sum);
  }
}
