package io.punctual.journal;

/** Counts the records of a segment. */
final class RecordCounts implements RecordVisitor {
  private long messages;
  private long states;
  private long removals;

  JournalTool.SegmentReport report(Manifest.Entry entry, long bytes, SegmentScan scan) {
    return new JournalTool.SegmentReport(
        entry.name(), bytes, !entry.isOpen(), scan.end(), messages, states, removals);
  }

  @Override
  public void message(
      int queue, long sequence, int hash, long dueMillis, long replaced, int home, Span at) {
    messages++;
    removals += replaced == 0 ? 0 : 1;
  }

  @Override
  public void state(int queue, MessageState state, Span at) {
    states++;
  }

  @Override
  public void removal(int queue, long sequence, int hash, int home, Span at) {
    removals++;
  }

  @Override
  public void queue(int queue, String name) {}

  @Override
  public void paused(int queue, boolean paused) {}

  @Override
  public void marks(long nextSequence, long tokenCeiling) {}
}
