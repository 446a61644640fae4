package io.punctual.httpstore.wire;

/**
 * A partition of a queue, as a client knows it.
 *
 * @param queue the name of the queue
 * @param index the index of the partition, from 0
 * @param partitions the number of partitions that the client assumes
 */
public record Place(String queue, int index, int partitions) {}
