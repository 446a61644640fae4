package io.punctual.embedded;

/** Counts how many waiting messages come due in each of some equal spans of time. */
public final class DueHistogram implements SlotScan {
  private final Slots slots;
  private final long fromMillis;
  private final long widthMillis;
  private final long[] counts;

  /** Creates a histogram that has seen no slot. */
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
    // Unsigned, as the distance of two longs can be greater than any long.
    long bucket = Long.divideUnsigned(dueMillis - fromMillis, widthMillis);
    if (bucket >= 0 && bucket < counts.length) {
      counts[(int) bucket]++;
    }
  }

  /** How many messages come due in each span. */
  public long[] counts() {
    return counts;
  }
}
