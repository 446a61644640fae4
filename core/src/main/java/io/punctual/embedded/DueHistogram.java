package io.punctual.embedded;

/** Counts the waiting messages that become due in each of several equal spans of time. */
public final class DueHistogram implements SlotScan {
  private final Slots slots;
  private final long fromMillis;
  private final long widthMillis;
  private final long[] counts;

  /** Creates an empty histogram. */
  public DueHistogram(Slots slots, long fromMillis, long widthMillis, int buckets) {
    this.slots = slots;
    this.fromMillis = fromMillis;
    this.widthMillis = widthMillis;
    counts = new long[buckets];
  }

  @Override
  public void visit(int from, int to) {
    for (int slot = from; slot < to; slot++) {
      if (slots.place(slot) == Place.WAITING && slots.time(slot) >= fromMillis) {
        count(slots.time(slot));
      }
    }
  }

  private void count(long dueMillis) {
    // The division is unsigned, because the distance of two longs can be greater than any long.
    long bucket = Long.divideUnsigned(dueMillis - fromMillis, widthMillis);
    if (bucket >= 0 && bucket < counts.length) {
      counts[(int) bucket]++;
    }
  }

  /** The number of messages that become due in each span. */
  public long[] counts() {
    return counts;
  }
}
