package io.punctual.spi;

/**
 * How many messages of a partition are in each state.
 *
 * @param scheduled waiting, and not due yet
 * @param ready due and not claimed
 * @param leased claimed, leases that have run out included
 * @param dead dead letters
 * @param paused whether the queue is paused
 */
public record PartitionCounts(long scheduled, long ready, long leased, long dead, boolean paused) {}
