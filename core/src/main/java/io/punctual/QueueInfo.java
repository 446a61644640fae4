package io.punctual;

/**
 * A queue in a listing.
 *
 * @param name the queue's name
 * @param partitions the number of partitions
 * @param counts the counts, taken after the listing of the name
 */
public record QueueInfo(String name, int partitions, Counts counts) {}
