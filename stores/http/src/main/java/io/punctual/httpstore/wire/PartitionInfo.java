package io.punctual.httpstore.wire;

/**
 * What a client must know about a partition, whose index is its place in the list.
 *
 * @param operationsPerCall the number of operations that the client should send in one call
 * @param hasClaimSessions whether the partition has sessions for the claims of workers
 */
public record PartitionInfo(int operationsPerCall, boolean hasClaimSessions) {}
