package io.punctual.journal;

import io.punctual.spi.LaneCounts;

/** Counts the messages in each state. */
final class Tally implements Scan {
  private final LaneState lane;
  private final long nowMillis;
  private long scheduled;
  private long ready;
  private long leased;
  private long dead;

  Tally(LaneState lane, long nowMillis) {
    this.lane = lane;
    this.nowMillis = nowMillis;
  }

  @Override
  public void visit(int from, int to) {
    for (int slot = from; slot < to; slot++) {
      switch (lane.slots().place(slot)) {
        case FREE -> {}
        case WAITING -> countWaiting(lane.time(slot));
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

  LaneCounts counts() {
    return new LaneCounts(scheduled, ready, leased, dead, lane.isPaused());
  }
}
