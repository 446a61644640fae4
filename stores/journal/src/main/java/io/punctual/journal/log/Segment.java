package io.punctual.journal.log;

import io.punctual.journal.disk.DiskFile;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.format.RecordType;
import io.punctual.journal.format.SegmentHeader;
import io.punctual.journal.format.SegmentWriter;
import java.util.Iterator;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A segment of the journal, with the number of bytes in it that are still needed. For the journal's
 * thread alone, except the file.
 */
public final class Segment {
  private final SegmentHeader header;

  /**
   * The segment's open file. For a segment that the log begins, the writer sets it before any
   * record of the segment is safe. The journal's thread reads a record from it only after the
   * record is safe.
   */
  private volatile @Nullable DiskFile file;

  /** The offset of the next frame. */
  private long length = SegmentHeader.LENGTH;

  private boolean sealed;
  private boolean damaged;
  private long liveBytes;

  /** An upper bound of the bytes that the records about queues take. */
  private long nameBytes;

  /** The number of bytes of needed removals, by the number of the removed message's segment. */
  private final TreeMap<Integer, Long> removals = new TreeMap<>();

  private long removalBytes;

  public Segment(SegmentHeader header) {
    this.header = header;
  }

  public SegmentHeader header() {
    return header;
  }

  public int file() {
    return header.file();
  }

  public String name() {
    return FileNames.segment(header.file());
  }

  public void opened(DiskFile opened) {
    file = opened;
  }

  public DiskFile opened() {
    DiskFile opened = file;
    if (opened == null) {
      throw new IllegalStateException(name() + " is not open");
    }
    return opened;
  }

  public boolean isOpened() {
    return file != null;
  }

  public long length() {
    return length;
  }

  public void length(long length) {
    this.length = length;
  }

  boolean isSealed() {
    return sealed;
  }

  public void seal() {
    sealed = true;
  }

  /** Whether the segment is damaged, so that compaction must not change it. */
  public boolean isLeftAlone() {
    return damaged;
  }

  public void leaveAlone() {
    damaged = true;
  }

  /** The number of bytes of needed message records and state records. */
  public long liveBytes() {
    return liveBytes;
  }

  /**
   * The number of bytes of needed messages, states and removals. A needed removal in a needed
   * replacement counts twice: as a part of the replacement, and as a removal.
   */
  public long neededBytes() {
    return liveBytes + removalBytes;
  }

  /** The maximum length in bytes of a copy with only the needed records. */
  public long mostCopyBytes() {
    return SegmentWriter.mostBytes(neededBytes() + nameBytes);
  }

  /**
   * Adds the length of a record that is needed from now on, or, if {@code bytes} is negative,
   * subtracts the length of a record that is no longer needed.
   */
  public void live(int bytes) {
    liveBytes += bytes;
  }

  /** Counts the bytes of written records about queues. */
  public void named(long bytes) {
    nameBytes += bytes;
  }

  /**
   * Counts a needed removal of a message whose record was in the segment with the number {@code
   * home}.
   */
  public void removal(int home) {
    long bytes = RecordType.REMOVAL.leastLength();
    removals.merge(home, bytes, Long::sum);
    removalBytes += bytes;
  }

  /**
   * Stops counting the unneeded removals of messages in the segments from {@code first} to {@code
   * last}.
   */
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
