package io.punctual.journal.upkeep;

import io.punctual.journal.format.Location;
import io.punctual.journal.format.Manifest;
import io.punctual.journal.index.SlotTable;
import io.punctual.journal.log.Log;
import io.punctual.journal.log.Segment;
import io.punctual.journal.log.Segments;
import io.punctual.journal.partition.PartitionState;
import io.punctual.journal.partition.Partitions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides which segments are worth a compaction, and which of their records are needed. For the
 * journal's thread alone.
 */
final class Liveness {
  /** A file takes whole blocks of the disk. */
  private static final int BLOCK = 4 << 10;

  /** How many neighbours are worth being put together. */
  private static final int LEAST_RUN = 4;

  private static final long NOWHERE = -1;

  private final Segments segments;
  private final Partitions partitions;
  private final Log log;

  /**
   * Neighbours that a single file can replace.
   *
   * @param cleaned the value for the header of the new file
   */
  record Candidate(List<Segment> segments, int cleaned) {
    /** The last number that the segments stand for. */
    int last() {
      return segments.get(segments.size() - 1).header().last();
    }
  }

  /**
   * The limits of a compaction.
   *
   * @param segmentBytes the largest size of a file that replaces several neighbours
   * @param copyBytes how many bytes a copy may take on the disk
   */
  record CompactionLimits(long segmentBytes, long copyBytes) {}

  /** A record that is needed, and when its message is due. */
  record Needed(Kept record, long dueMillis) {}

  Liveness(Segments segments, Partitions partitions, Log log) {
    this.segments = segments;
    this.partitions = partitions;
    this.log = log;
  }

  /**
   * Returns the first of these segments that are worth a compaction, or null.
   *
   * @param after the number of the last segment that is not considered
   */
  @Nullable Candidate candidate(List<Manifest.Entry> ended, int after, CompactionLimits limits) {
    List<Segment> left =
        ended.stream()
            .filter(entry -> entry.header().first() > after)
            .map(entry -> segments.of(entry.header().file()))
            .toList();
    for (int from = 0; from < left.size(); from++) {
      int to = isWorthIt(left.get(from), limits) ? from + 1 : endOfRun(left, from, limits);
      if (to > from) {
        return new Candidate(List.copyOf(left.subList(from, to)), log.lastNumber());
      }
    }
    return null;
  }

  /**
   * Returns whether the compaction of this segment frees at least half of its bytes. A new copy has
   * no garbage, so repeated compactions end.
   */
  private static boolean isWorthIt(Segment segment, CompactionLimits limits) {
    if (segment.isLeftAlone()) {
      return false;
    }
    if (segment.neededBytes() == 0) {
      return true;
    }
    long copy = segment.mostCopyBytes();
    return copy <= limits.copyBytes()
        && 2 * copy <= segment.length()
        && blocks(copy) < blocks(segment.length());
  }

  private static long blocks(long bytes) {
    return (bytes + BLOCK - 1) / BLOCK;
  }

  /**
   * Returns the end of the longest run of small neighbours that begins at {@code from}, or {@code
   * from}. No segment has more than half of the bytes of a run, so each further copy of a byte is
   * in a file of at least twice the size.
   */
  private static int endOfRun(List<Segment> left, int from, CompactionLimits limits) {
    int end = from;
    long sum = 0;
    long copy = 0;
    long largest = 0;
    for (int to = from; to < left.size(); to++) {
      Segment next = left.get(to);
      sum += next.neededBytes();
      copy += next.mostCopyBytes();
      largest = Math.max(largest, next.neededBytes());
      if (next.isLeftAlone() || sum > limits.segmentBytes() || copy > limits.copyBytes()) {
        break;
      }
      if (to + 1 - from >= LEAST_RUN && 2 * largest <= sum) {
        end = to + 1;
      }
    }
    return end;
  }

  /** Returns the needed records of segments that are compacted together. */
  List<Needed> needed(List<Segment> together, List<Kept> records) {
    List<Needed> needed = new ArrayList<>();
    for (Kept record : records) {
      int slot = slot(record);
      if (slot != SlotTable.NONE && location(record, slot) == record.location()) {
        long due = record.isState() ? KeptRecords.LAST : partition(record).time(slot);
        needed.add(new Needed(record, due));
      } else if (record.removes() && isRemovalNeeded(together, record)) {
        needed.add(new Needed(record.removal(), KeptRecords.LAST));
      }
    }
    return needed;
  }

  /** Segments that are compacted together leave out the messages that they remove. */
  private boolean isRemovalNeeded(List<Segment> together, Kept record) {
    return segments.isRemovalNeeded(record.segment(), record.home())
        && !together.contains(segments.standingFor(record.home()));
  }

  /**
   * Records that a copy now has the needed records, except records that became garbage meanwhile.
   * The old segments have at most one needed record of each kind for a message, and so does the
   * copy.
   */
  void move(List<Segment> old, List<Kept> copied) {
    for (Kept record : copied) {
      int slot = slot(record);
      long location = slot == SlotTable.NONE ? NOWHERE : location(record, slot);
      if (location != NOWHERE && old.contains(segments.of(Location.file(location)))) {
        move(record, slot);
      }
    }
  }

  private void move(Kept record, int slot) {
    PartitionState partition = partition(record);
    if (record.isState()) {
      partition.records().put(slot, record.location(), record.length());
    } else {
      partition.slots().location(slot, record.location());
    }
    record.segment().live(record.length());
  }

  /** The slot of the message that the record is about, if the message may come back. */
  private int slot(Kept record) {
    if (record.isRemoval()) {
      return SlotTable.NONE;
    }
    PartitionState partition = partition(record);
    int slot = partition.numbered(record.sequence(), record.hash());
    return slot == SlotTable.NONE || partition.isMarked(slot) ? SlotTable.NONE : slot;
  }

  /** Where the message's record of this kind is now, or {@link #NOWHERE}. */
  private long location(Kept record, int slot) {
    PartitionState partition = partition(record);
    if (!record.isState()) {
      return partition.slots().location(slot);
    }
    return partition.slots().hasRecord(slot) ? partition.records().location(slot) : NOWHERE;
  }

  private PartitionState partition(Kept record) {
    PartitionState partition = partitions.numbered(record.queue());
    if (partition == null) {
      throw new IllegalStateException("No queue has the number " + record.queue());
    }
    return partition;
  }
}
