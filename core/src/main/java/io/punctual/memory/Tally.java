package io.punctual.memory;

import io.punctual.spi.PartitionCounts;

/** Counts the items in each state. */
final class Tally implements PartitionGuard.Span {
  private final ItemTable items;
  private final long nowMillis;
  private long scheduled;
  private long ready;
  private long leased;
  private long dead;

  Tally(ItemTable items, long nowMillis) {
    this.items = items;
    this.nowMillis = nowMillis;
  }

  @Override
  public void visit(int from, int to) {
    for (int slot = from; slot < to; slot++) {
      Place place = items.placeAt(slot);
      if (place == Place.WAITING) {
        countWaiting(items.timeAt(slot));
      } else if (place == Place.LEASED) {
        leased++;
      } else if (place == Place.DEAD) {
        dead++;
      }
    }
  }

  private void countWaiting(long dueMillis) {
    if (dueMillis <= nowMillis) {
      ready++;
    } else {
      scheduled++;
    }
  }

  PartitionCounts counts(boolean paused) {
    return new PartitionCounts(scheduled, ready, leased, dead, paused);
  }
}
