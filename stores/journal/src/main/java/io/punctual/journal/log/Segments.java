package io.punctual.journal.log;

import io.punctual.journal.disk.OpenFailedException;
import io.punctual.journal.format.Location;
import io.punctual.journal.format.SegmentHeader;
import io.punctual.journal.report.JournalDamagedException;
import io.punctual.spi.Partition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The segments of the journal, by file number and in the order in which they are read. For the
 * journal's thread alone.
 */
public final class Segments {
  private final Map<Integer, Segment> byFile = new HashMap<>();
  private final TreeMap<Integer, Segment> byFirst = new TreeMap<>();

  /** A cache of recently used segments, by the lower bits of the file number. */
  private final @Nullable Segment[] recent = new Segment[64];

  public Segments() {
    // Loads the class, which may not load any more once the process has too many open files.
    var unused = refusal(new OpenFailedException(new IOException()));
  }

  private static Partition.RefusedForNowException refusal(OpenFailedException cause) {
    return new Partition.RefusedForNowException(
        "The journal can't read its files at the moment: "
            + cause.getMessage()
            + ". Close files of the process, or raise its limit of open files",
        cause);
  }

  public void add(Segment segment) {
    byFile.put(segment.file(), segment);
    byFirst.put(segment.header().first(), segment);
    segment.dropRemovals(1, Integer.MAX_VALUE, home -> isRemovalNeeded(segment, home));
  }

  public void remove(Segment segment) {
    byFile.remove(segment.file());
    byFirst.remove(segment.header().first(), segment);
    recent[recentIndex(segment.file())] = null;
    dropRemovals(segment.header());
  }

  /**
   * Stops counting removals that became unneeded because a segment was deleted or replaced. Only
   * removals of messages in that segment are affected.
   */
  private void dropRemovals(SegmentHeader gone) {
    for (Segment segment : byFirst.values()) {
      segment.dropRemovals(gone.first(), gone.last(), home -> isRemovalNeeded(segment, home));
    }
  }

  /** Counts a removal as needed if a different file may still have the message. */
  public void removal(Segment in, int home) {
    if (isRemovalNeeded(in, home)) {
      in.removal(home);
    }
  }

  /**
   * Whether the segment {@code in} must keep the removal of a message of the segment {@code home},
   * because a different file may still have that message.
   */
  public boolean isRemovalNeeded(Segment in, int home) {
    Segment stands = standingFor(home);
    return stands != null && stands != in && stands.header().cleaned() <= in.header().last();
  }

  private int recentIndex(int file) {
    return file & (recent.length - 1);
  }

  public Segment of(int file) {
    Segment last = recent[recentIndex(file)];
    if (last != null && last.file() == file) {
      return last;
    }
    Segment segment = byFile.get(file);
    if (segment == null) {
      throw new IllegalStateException("No segment in file " + file);
    }
    recent[recentIndex(file)] = segment;
    return segment;
  }

  /**
   * Returns the segment with a number, or the segment into which compaction merged it; null if it
   * was deleted.
   */
  public @Nullable Segment standingFor(int number) {
    Map.Entry<Integer, Segment> before = byFirst.floorEntry(number);
    return before != null && before.getValue().header().last() >= number ? before.getValue() : null;
  }

  /** Returns all segments, in the order in which they are read. */
  public Collection<Segment> inOrder() {
    return byFirst.values();
  }

  /**
   * Reads a record from its file.
   *
   * @throws JournalDamagedException if the disk can't read it, or the file ends too early
   * @throws Partition.RefusedForNowException if the file had to be opened again, and no file can be
   *     opened at the moment
   */
  ByteBuffer read(long location, int length) {
    Segment segment = of(Location.file(location));
    int offset = Location.offset(location);
    try {
      return segment.opened().read(offset, length);
    } catch (OpenFailedException e) {
      throw refusal(e);
    } catch (IOException e) {
      String reason = "a record can't be read: " + e.getMessage();
      throw new JournalDamagedException(segment.name(), offset, reason, e);
    }
  }
}
