package io.punctual.journal.upkeep;

import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.journal.format.Manifest;
import io.punctual.journal.format.MessageState;
import io.punctual.journal.format.RecordVisitor;
import io.punctual.journal.format.SegmentScan;
import io.punctual.journal.report.SegmentReport;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts the records of segments, and collects the names of queues, the next sequence number and
 * the token ceiling.
 */
final class RecordCounts implements RecordVisitor {
  private long messages;
  private long states;
  private long removals;
  private final Map<Integer, String> queues = new TreeMap<>();
  private long nextSequence = 1;
  private long tokenCeiling;

  SegmentReport report(Manifest.Entry entry, long bytes, SegmentScan scan) {
    return new SegmentReport(
        entry.name(), bytes, !entry.isOpen(), scan.end(), messages, states, removals);
  }

  void add(RecordCounts other) {
    messages += other.messages;
    states += other.states;
    removals += other.removals;
    queues.putAll(other.queues);
    marks(other.nextSequence, other.tokenCeiling);
  }

  /** The names of queues, by number. */
  Map<Integer, String> queues() {
    return queues;
  }

  /** The lowest sequence number above all sequence numbers in the records. */
  long nextSequence() {
    return nextSequence;
  }

  long tokenCeiling() {
    return tokenCeiling;
  }

  @Override
  public void message(
      int queue, long sequence, int hash, long dueMillis, long replaced, int home, Span at) {
    seen(sequence);
    messages++;
    removals += replaced == 0 ? 0 : 1;
  }

  @Override
  public void state(int queue, MessageState state, Span at) {
    seen(state.sequence());
    tokenCeiling = Math.max(tokenCeiling, state.token());
    states++;
  }

  @Override
  public void removal(int queue, long sequence, int hash, int home, Span at) {
    seen(sequence);
    removals++;
  }

  @Override
  public void queue(int queue, String name) {
    queues.put(queue, name);
  }

  @Override
  public void paused(int queue, boolean paused) {}

  @Override
  public void pauseNote(int queue, PauseNote note) {}

  @Override
  public void limits(int queue, QueueLimits limits) {}

  @Override
  public void deleted(int queue) {}

  @Override
  public void marks(long next, long ceiling) {
    nextSequence = Math.max(nextSequence, next);
    tokenCeiling = Math.max(tokenCeiling, ceiling);
  }

  private void seen(long sequence) {
    nextSequence = Math.max(nextSequence, sequence + 1);
  }
}
