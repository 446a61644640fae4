package io.punctual.journal.upkeep;

import io.punctual.journal.format.Location;
import io.punctual.journal.format.Manifest;
import io.punctual.journal.index.SlotTable;
import io.punctual.journal.log.RecordLog;
import io.punctual.journal.log.Segment;
import io.punctual.journal.log.Segments;
import io.punctual.journal.partition.PartitionState;
import io.punctual.journal.partition.Partitions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the segments to compact, decides which of their records are needed, and changes the index
 * to the copies of these records. For the journal's thread alone.
 */
final class Liveness {
  /** The size of a disk block in bytes. A file takes whole blocks. */
  private static final int BLOCK = 4 << 10;

  /** The minimum number of adjacent segments that are merged. */
  private static final int LEAST_RUN = 4;

  /** The open segment is ended early only if that frees at least this number of bytes. */
  private static final int LEAST_FREED = 64 << 10;

  private static final long NOWHERE = -1;

  private final Segments segments;
  private final Partitions partitions;
  private final RecordLog log;

  /**
   * A segment, or several adjacent segments, that a single file can replace.
   *
   * @param cleaned the value of {@code cleaned} in the header of the new file
   */
  record Candidate(List<Segment> segments, int cleaned) {
    /** The highest segment number that the segments represent. */
    int last() {
      return segments.get(segments.size() - 1).header().last();
    }
  }

  /**
   * The limits of a compaction.
   *
   * @param segmentBytes the maximum number of needed bytes in several segments that a single file
   *     replaces
   * @param copyBytes the maximum size of a copy, given the free space on the disk
   */
  record CompactionLimits(long segmentBytes, long copyBytes) {}

  /**
   * A needed record with the time by which the copy is sorted: the time of its message in the
   * index, such as the due time of a waiting message, or {@link CopiedRecords#LAST} for a state or
   * a removal.
   */
  record Needed(SegmentRecord record, long dueMillis) {}

  Liveness(Segments segments, Partitions partitions, RecordLog log) {
    this.segments = segments;
    this.partitions = partitions;
    this.log = log;
  }

  /**
   * Returns the first segment, or run of adjacent segments, that should be compacted; null if there
   * is none.
   *
   * @param after the number of the segment after which the search begins
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
   * Ends the open segment if its unneeded bytes take more room than the disk has left, so that the
   * next compaction frees them.
   *
   * @param roomBytes the free space on the disk without the reserve; negative if the reserve is
   *     used
   */
  boolean endOpenSegment(long roomBytes, CompactionLimits limits) {
    return log.end(
        (segment, beginning) -> {
          long freed = segment.length() - segment.mostCopyBytes() - beginning;
          return freed >= Math.max(LEAST_FREED, roomBytes) && isWorthIt(segment, limits);
        });
  }

  /**
   * Returns whether this segment should be compacted alone: its compaction is possible, and frees
   * at least half of its bytes. A new copy has only needed records, so it is not compacted again at
   * once.
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
   * Returns the end of the longest run of small adjacent segments that begins at {@code from}, or
   * {@code from} if there is none. No segment has more than half of the needed bytes of a run. Each
   * needed byte is therefore copied into a file with at least twice as many needed bytes, which
   * limits how often a byte is copied.
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

  /**
   * Returns those of the records that are needed. Of a replacement whose message is gone, returns
   * only the removal.
   *
   * @param together the segments that are compacted together
   */
  List<Needed> needed(List<Segment> together, List<SegmentRecord> records) {
    List<Needed> needed = new ArrayList<>();
    for (SegmentRecord record : records) {
      int slot = slot(record);
      if (slot != SlotTable.NONE && location(record, slot) == record.location()) {
        long due = record.isState() ? CopiedRecords.LAST : partition(record).time(slot);
        needed.add(new Needed(record, due));
      } else if (record.removes() && isRemovalNeeded(together, record)) {
        needed.add(new Needed(record.removal(), CopiedRecords.LAST));
      }
    }
    return needed;
  }

  /**
   * Whether a removal must be copied. If the removed message is in a segment of the same
   * compaction, the removal is not needed, because the copy omits the message.
   */
  private boolean isRemovalNeeded(List<Segment> together, SegmentRecord record) {
    return segments.isRemovalNeeded(record.segment(), record.home())
        && !together.contains(segments.standingFor(record.home()));
  }

  /**
   * Changes the index so that the needed records are read from the copy. Skips records that became
   * unneeded during the compaction. A message has at most one needed message record and one needed
   * state record in the old segments, and therefore in the copy.
   */
  void move(List<Segment> old, List<SegmentRecord> copied) {
    for (SegmentRecord record : copied) {
      int slot = slot(record);
      long location = slot == SlotTable.NONE ? NOWHERE : location(record, slot);
      if (location != NOWHERE && old.contains(segments.of(Location.file(location)))) {
        move(record, slot);
      }
    }
  }

  private void move(SegmentRecord record, int slot) {
    PartitionState partition = partition(record);
    if (record.isState()) {
      partition.records().put(slot, record.location(), record.length());
    } else {
      partition.slots().location(slot, record.location());
    }
    record.segment().live(record.length());
  }

  /**
   * Returns the slot of a record's message, or {@link SlotTable#NONE} if the record is a removal or
   * the message was removed or cancelled.
   */
  private int slot(SegmentRecord record) {
    if (record.isRemoval()) {
      return SlotTable.NONE;
    }
    PartitionState partition = partition(record);
    int slot = partition.numbered(record.sequence(), record.hash());
    return slot == SlotTable.NONE || partition.isMarked(slot) ? SlotTable.NONE : slot;
  }

  /**
   * Returns the location at which the index has the message's record of the same kind as {@code
   * record}, or {@link #NOWHERE}.
   */
  private long location(SegmentRecord record, int slot) {
    PartitionState partition = partition(record);
    if (!record.isState()) {
      return partition.slots().location(slot);
    }
    return partition.slots().hasRecord(slot) ? partition.records().location(slot) : NOWHERE;
  }

  private PartitionState partition(SegmentRecord record) {
    PartitionState partition = partitions.numbered(record.queue());
    if (partition == null) {
      throw new IllegalStateException("No queue has the number " + record.queue());
    }
    return partition;
  }
}
