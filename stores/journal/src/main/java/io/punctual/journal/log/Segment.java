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
 * A segment of the journal, and the account of its needed bytes. For the journal's thread alone,
 * except the file.
 */
public final class Segment {
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

  /** Whether it is damaged, so that compaction leaves it as it is. */
  public boolean isLeftAlone() {
    return damaged;
  }

  public void leaveAlone() {
    damaged = true;
  }

  /** How many bytes the needed messages and states have. */
  public long liveBytes() {
    return liveBytes;
  }

  /** How many bytes the needed records have; a removal within a live replacement counts twice. */
  public long neededBytes() {
    return liveBytes + removalBytes;
  }

  /** How many bytes a copy of the needed records has at most. */
  public long mostCopyBytes() {
    return SegmentWriter.mostBytes(neededBytes() + nameBytes);
  }

  /** A record is needed from now on, or, if negative, not any more. */
  public void live(int bytes) {
    liveBytes += bytes;
  }

  /** Names of queues were written. */
  public void named(long bytes) {
    nameBytes += bytes;
  }

  /** A removal is needed, which is about a message in the segment with the number {@code home}. */
  public void removal(int home) {
    long bytes = RecordType.REMOVAL.leastLength();
    removals.merge(home, bytes, Long::sum);
    removalBytes += bytes;
  }

  /** Stops counting removals about the segments with these numbers, except needed removals. */
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
