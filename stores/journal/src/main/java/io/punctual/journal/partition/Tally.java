package io.punctual.journal.partition;

import io.punctual.spi.PartitionCounts;

/** Counts the messages in each state. */
public final class Tally implements Scan {
  private final PartitionState partition;
  private final long nowMillis;
  private long scheduled;
  private long ready;
  private long leased;
  private long dead;

  public Tally(PartitionState partition, long nowMillis) {
    this.partition = partition;
    this.nowMillis = nowMillis;
  }

  @Override
  public void visit(int from, int to) {
    for (int slot = from; slot < to; slot++) {
      switch (partition.slots().place(slot)) {
        case FREE -> {}
        case WAITING -> countWaiting(partition.time(slot));
        case LEASED -> leased++;
        case DEAD -> dead++;
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

  public PartitionCounts counts() {
    return new PartitionCounts(scheduled, ready, leased, dead, partition.isPaused());
  }
}
