package io.punctual.journal;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tells what in segments is still needed. For the engine's thread alone. */
final class Liveness {
  /** As if it held more than fits in any segment. */
  private static final long TOO_MANY_BYTES = Long.MAX_VALUE / 4;

  private final Segments segments;
  private final Lanes lanes;
  private final Log log;

  /** Segments, neighbours, that one file can take the place of, clean up to a number. */
  record Candidate(List<Segment> segments, int cleaned) {}

  Liveness(Segments segments, Lanes lanes, Log log) {
    this.segments = segments;
    this.lanes = lanes;
    this.log = log;
  }

  /** Some of these segments that it is worth to compact, or null. */
  @Nullable Candidate candidate(List<Manifest.Entry> ended, long segmentBytes) {
    List<Segment> inOrder =
        ended.stream().map(entry -> segments.of(entry.header().file())).toList();
    long[] needed = inOrder.stream().mapToLong(this::neededBytes).toArray();
    for (int i = 0; i < needed.length; i++) {
      if (2 * needed[i] < inOrder.get(i).length()) {
        return candidate(inOrder.subList(i, i + 1));
      }
    }
    Run run = Run.longest(needed, segmentBytes);
    return run.isWorthIt() ? candidate(inOrder.subList(run.from(), run.to())) : null;
  }

  private Candidate candidate(List<Segment> chosen) {
    return new Candidate(List.copyOf(chosen), log.segment().header().first());
  }

  /**
   * Neighbours that together make no more than a segment, and of which none makes more than half of
   * it: so that a byte is copied again only when it ends up with twice as many.
   */
  private record Run(int from, int to) {
    private static final int WORTH_IT = 4;

    static Run longest(long[] needed, long segmentBytes) {
      Run longest = new Run(0, 0);
      for (int from = 0; from < needed.length; from++) {
        long sum = 0;
        long largest = 0;
        for (int to = from; to < needed.length && sum + needed[to] <= segmentBytes; to++) {
          sum += needed[to];
          largest = Math.max(largest, needed[to]);
          if (2 * largest <= sum && to + 1 - from > longest.length()) {
            longest = new Run(from, to + 1);
          }
        }
      }
      return longest;
    }

    int length() {
      return to - from;
    }

    boolean isWorthIt() {
      return length() >= WORTH_IT;
    }
  }

  private long neededBytes(Segment segment) {
    if (segment.isLeftAlone()) {
      return TOO_MANY_BYTES;
    }
    long needed = segment.liveBytes();
    for (var removals : segment.removals().entrySet()) {
      if (isRemovalNeeded(List.of(segment), segment, removals.getKey())) {
        needed += removals.getValue();
      }
    }
    return needed;
  }

  /** Keeps of these records of segments that are compacted together those that are needed. */
  List<Kept> needed(List<Segment> together, List<Kept> records) {
    return records.stream().filter(record -> isNeeded(together, record)).toList();
  }

  private boolean isNeeded(List<Segment> together, Kept record) {
    return record.isRemoval()
        ? isRemovalNeeded(together, record.segment(), record.home())
        : holder(record) != SlotTable.NONE;
  }

  /**
   * Whether a removal still keeps a message from rising: while a file may hold it from before the
   * removal. What is compacted together with it leaves the message out itself.
   */
  private boolean isRemovalNeeded(List<Segment> together, Segment segment, int home) {
    Segment stands = segments.standingFor(home);
    return stands != null
        && !together.contains(stands)
        && stands.header().cleaned() <= segment.header().last();
  }

  /** When the messages are due whose records these are, for the order of the copies. */
  long[] dueMillis(List<Kept> messages) {
    return messages.stream().mapToLong(this::dueMillis).toArray();
  }

  private long dueMillis(Kept message) {
    int slot = holder(message);
    return slot == SlotTable.NONE ? 0 : lane(message).time(slot);
  }

  /** Says that records are in another segment now, unless they are not needed any more. */
  void move(Segment to, List<Moved> records) {
    for (Moved moved : records) {
      Kept record = moved.record();
      int slot = holder(record);
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

  /** The slot of the message for which the record counts. */
  private int holder(Kept record) {
    long location = record.location();
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
