package io.punctual;

/**
 * How many messages of a queue are in each state, counted without stopping the queue.
 *
 * @param scheduled waiting, and not due yet
 * @param ready due and not claimed: what the workers are behind
 * @param leased claimed and not settled, leases that have run out included
 * @param dead dead letters
 * @param paused whether the queue is paused
 */
public record Counts(long scheduled, long ready, long leased, long dead, boolean paused) {
  /** Returns how many are on their way: all but the dead letters. */
  public long pending() {
    return scheduled + ready + leased;
  }
}
