package io.punctual.journal;

import java.util.Iterator;
import java.util.TreeMap;
import java.util.function.IntPredicate;
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

  /** How many bytes the names of queues take, at most. */
  private long nameBytes;

  /** How many bytes of removals are needed, by the number of the segment that they are about. */
  private final TreeMap<Integer, Long> removals = new TreeMap<>();

  private long removalBytes;

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

  /** How many bytes the needed messages and states have. */
  long liveBytes() {
    return liveBytes;
  }

  /** How many bytes the needed records have; a removal within a live replacement counts twice. */
  long neededBytes() {
    return liveBytes + removalBytes;
  }

  /** How many bytes a copy of the needed records has at most. */
  long mostCopyBytes() {
    return SegmentWriter.mostBytes(neededBytes() + nameBytes);
  }

  /** A record is needed from now on, or, if negative, not any more. */
  void live(int bytes) {
    liveBytes += bytes;
  }

  /** Names of queues were written. */
  void named(long bytes) {
    nameBytes += bytes;
  }

  /** A removal is needed, which is about a message in the segment with the number {@code home}. */
  void removal(int home) {
    long bytes = RecordType.REMOVAL.leastLength();
    removals.merge(home, bytes, Long::sum);
    removalBytes += bytes;
  }

  /** Stops counting removals about the segments with these numbers, except the needed ones. */
  void dropRemovals(int first, int last, IntPredicate isNeeded) {
    Iterator<Integer> homes = removals.subMap(first, true, last, true).keySet().iterator();
    while (homes.hasNext()) {
      int home = homes.next();
      if (!isNeeded.test(home)) {
        removalBytes -= removals.getOrDefault(home, 0L);
        homes.remove();
      }
    }
  }
}
