package io.punctual.journal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** Gathers the records of a segment that are needed, asking for some thousand at a time. */
final class CompactionScan implements RecordVisitor {
  private static final int PORTION = 4096;

  private final Segment segment;
  private final UnaryOperator<List<Kept>> filter;
  private final List<Kept> portion = new ArrayList<>();
  private final List<Kept> needed = new ArrayList<>();
  private final Map<Integer, String> queues = new TreeMap<>();

  CompactionScan(Segment segment, UnaryOperator<List<Kept>> filter) {
    this.segment = segment;
    this.filter = filter;
  }

  /** What is needed, once the whole segment was shown. */
  List<Kept> needed() {
    ask();
    return needed;
  }

  Map<Integer, String> queues() {
    return queues;
  }

  @Override
  public void message(
      int queue, long sequence, int hash, long dueMillis, long replaced, int home, Span at) {
    add(new Kept(segment, RecordType.MESSAGE, queue, sequence, hash, 0, at.offset, at.length));
    if (replaced != 0) {
      add(new Kept(segment, RecordType.REMOVAL, queue, replaced, hash, home, at.offset, at.length));
    }
  }

  @Override
  public void state(int queue, MessageState state, Span at) {
    add(
        new Kept(
            segment,
            RecordType.STATE,
            queue,
            state.sequence(),
            state.hash(),
            0,
            at.offset,
            at.length));
  }

  @Override
  public void removal(int queue, long sequence, int hash, int home, Span at) {
    add(new Kept(segment, RecordType.REMOVAL, queue, sequence, hash, home, at.offset, at.length));
  }

  @Override
  public void queue(int queue, String name) {
    queues.put(queue, name);
  }

  /** The next segment says it as well. */
  @Override
  public void paused(int queue, boolean paused) {}

  /** The next segment says it as well. */
  @Override
  public void marks(long nextSequence, long tokenCeiling) {}

  private void add(Kept record) {
    portion.add(record);
    if (portion.size() == PORTION) {
      ask();
    }
  }

  private void ask() {
    needed.addAll(filter.apply(List.copyOf(portion)));
    portion.clear();
  }
}
