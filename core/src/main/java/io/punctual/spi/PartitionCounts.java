package io.punctual.spi;

/**
 * The number of messages of a partition in each state.
 *
 * @param scheduled waiting, and not due yet
 * @param ready due and not claimed
 * @param leased claimed and not settled, including messages whose lease has expired
 * @param dead dead letters
 * @param done remembered ids of finished messages
 * @param paused whether the queue is paused
 */
public record PartitionCounts(
    long scheduled, long ready, long leased, long dead, long done, boolean paused) {}
