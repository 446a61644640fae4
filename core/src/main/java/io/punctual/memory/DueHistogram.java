package io.punctual.memory;

/** Counts how many waiting items come due in each of some equal spans of time. */
final class DueHistogram implements PartitionGuard.Span {
  private final ItemTable items;
  private final long fromMillis;
  private final long widthMillis;
  private final long[] counts;

  DueHistogram(ItemTable items, long fromMillis, long widthMillis, int buckets) {
    this.items = items;
    this.fromMillis = fromMillis;
    this.widthMillis = widthMillis;
    counts = new long[buckets];
  }

  @Override
  public void visit(int from, int to) {
    for (int slot = from; slot < to; slot++) {
      if (items.placeAt(slot) == Place.WAITING && items.timeAt(slot) >= fromMillis) {
        count(items.timeAt(slot));
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

  long[] counts() {
    return counts;
  }
}
