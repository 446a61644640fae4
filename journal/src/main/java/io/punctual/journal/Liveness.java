package io.punctual.journal;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tells what in a segment is still needed. For the engine's thread alone. */
final class Liveness {
  private final Segments segments;
  private final Lanes lanes;
  private final Log log;

  /** A segment to be compacted, and the number that its successor is clean up to. */
  record Candidate(Segment segment, int cleaned) {}

  Liveness(Segments segments, Lanes lanes, Log log) {
    this.segments = segments;
    this.lanes = lanes;
    this.log = log;
  }

  /** The first of these segments of which less than half is needed, or null. */
  @Nullable Candidate candidate(List<Manifest.Entry> ended) {
    for (Manifest.Entry entry : ended) {
      Segment segment = segments.of(entry.header().file());
      if (2 * neededBytes(segment) < entry.length()) {
        return new Candidate(segment, log.segment().header().first());
      }
    }
    return null;
  }

  private long neededBytes(Segment segment) {
    long needed = segment.liveBytes();
    for (var removals : segment.removals().entrySet()) {
      if (isRemovalNeeded(segment, removals.getKey())) {
        needed += removals.getValue();
      }
    }
    return needed;
  }

  /** Keeps of these records of a segment those that are needed. */
  List<Kept> needed(Segment segment, List<Kept> records) {
    return records.stream().filter(record -> isNeeded(segment, record)).toList();
  }

  private boolean isNeeded(Segment segment, Kept record) {
    return record.isRemoval()
        ? isRemovalNeeded(segment, record.home())
        : holder(record, Location.of(segment.file(), record.offset())) != SlotTable.NONE;
  }

  /**
   * Whether a removal still keeps a message from rising: while a file may hold it from before the
   * removal.
   */
  private boolean isRemovalNeeded(Segment segment, int home) {
    Segment stands = segments.standingFor(home);
    return stands != null
        && stands != segment
        && stands.header().cleaned() <= segment.header().last();
  }

  /** When a message is due whose record is at this place, for the order of the copies. */
  long dueMillis(Segment segment, Kept record) {
    int slot = holder(record, Location.of(segment.file(), record.offset()));
    return slot == SlotTable.NONE ? 0 : lane(record).time(slot);
  }

  /** Says that records of a segment are in another one now, unless they are not needed any more. */
  void move(Segment from, Segment to, List<Moved> records) {
    for (Moved moved : records) {
      Kept record = moved.record();
      int slot = holder(record, Location.of(from.file(), record.offset()));
      if (slot != SlotTable.NONE) {
        long location = Location.of(to.file(), moved.offset());
        if (record.isState()) {
          lane(record).records().put(slot, location, record.length());
        } else {
          lane(record).slots().location(slot, location);
        }
        to.live(record.length());
      }
    }
  }

  /** A record that was copied, and where to. */
  record Moved(Kept record, int offset) {}

  /** The slot of the message for which the record at this place counts. */
  private int holder(Kept record, long location) {
    LaneState lane = lane(record);
    int slot = lane.numbered(record.sequence(), record.hash());
    if (slot == SlotTable.NONE || lane.isMarked(slot)) {
      return SlotTable.NONE;
    }
    boolean holds =
        record.isState()
            ? lane.slots().hasRecord(slot) && lane.records().location(slot) == location
            : lane.slots().location(slot) == location;
    return holds ? slot : SlotTable.NONE;
  }

  private LaneState lane(Kept record) {
    LaneState lane = lanes.numbered(record.queue());
    if (lane == null) {
      throw new IllegalStateException("No queue has the number " + record.queue());
    }
    return lane;
  }
}
