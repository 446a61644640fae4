package io.punctual.journal.upkeep;

import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.journal.format.MessageState;
import io.punctual.journal.format.RecordType;
import io.punctual.journal.format.RecordVisitor;
import io.punctual.journal.log.Segment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Passes the records about messages in a segment to a consumer, in portions of up to 4096 records.
 */
final class CompactionScan implements RecordVisitor {
  private static final int PORTION = 4096;

  private final Segment segment;
  private final Consumer<List<SegmentRecord>> portions;
  private final Map<Integer, String> queues = new TreeMap<>();
  private List<SegmentRecord> portion = new ArrayList<>();

  CompactionScan(Segment segment, Consumer<List<SegmentRecord>> portions) {
    this.segment = segment;
    this.portions = portions;
  }

  /** Passes on the last portion. Called at the end of the segment. */
  void end() {
    if (!portion.isEmpty()) {
      portions.accept(portion);
      portion = new ArrayList<>();
    }
  }

  /** The names of queues in the segment, by number. */
  Map<Integer, String> queues() {
    return queues;
  }

  @Override
  public void message(
      int queue, long sequence, int hash, long dueMillis, long replaced, int home, Span at) {
    RecordType type = replaced == 0 ? RecordType.MESSAGE : RecordType.REPLACEMENT;
    add(
        new SegmentRecord(
            segment, type, queue, sequence, hash, replaced, home, at.offset, at.length));
  }

  @Override
  public void state(int queue, MessageState state, Span at) {
    long sequence = state.sequence();
    int hash = state.hash();
    add(
        new SegmentRecord(
            segment, RecordType.STATE, queue, sequence, hash, 0, 0, at.offset, at.length));
  }

  @Override
  public void removal(int queue, long sequence, int hash, int home, Span at) {
    RecordType type = RecordType.REMOVAL;
    add(new SegmentRecord(segment, type, queue, sequence, hash, 0, home, at.offset, at.length));
  }

  @Override
  public void queue(int queue, String name) {
    queues.put(queue, name);
  }

  /** Ignored, because the log repeats such records in each segment that it begins. */
  @Override
  public void paused(int queue, boolean paused) {}

  /** Ignored, because the log repeats such records in each segment that it begins. */
  @Override
  public void pauseNote(int queue, PauseNote note) {}

  /** Ignored, because the log repeats such records in each segment that it begins. */
  @Override
  public void limits(int queue, QueueLimits limits) {}

  /** Ignored, because the log repeats such records in each segment that it begins. */
  @Override
  public void deleted(int queue) {}

  /** Ignored, because the log repeats such records in each segment that it begins. */
  @Override
  public void marks(long nextSequence, long tokenCeiling) {}

  private void add(SegmentRecord record) {
    portion.add(record);
    if (portion.size() == PORTION) {
      end();
    }
  }
}
