package io.punctual.journal.partition;

import io.punctual.journal.index.Place;

/** Counts how many waiting messages come due in each of some equal spans of time. */
final class DueHistogram implements Scan {
  private final PartitionState partition;
  private final long fromMillis;
  private final long widthMillis;
  private final long[] counts;

  DueHistogram(PartitionState partition, long fromMillis, long widthMillis, int buckets) {
    this.partition = partition;
    this.fromMillis = fromMillis;
    this.widthMillis = widthMillis;
    counts = new long[buckets];
  }

  @Override
  public void visit(int from, int to) {
    for (int slot = from; slot < to; slot++) {
      if (partition.slots().place(slot) == Place.WAITING && partition.time(slot) >= fromMillis) {
        count(partition.time(slot));
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
