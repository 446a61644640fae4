package io.punctual.spi;

import io.punctual.QueueLimits;

/**
 * The use of a queue's limits in one partition: the share of the partition, and how much of the
 * share its claims use. All values were read at the same moment.
 *
 * @param limits the limits of the queue, as this partition knows them
 * @param ledger the shares that the partition has given to and received from other partitions
 * @param engineMicros the time of the reading by the store's clock, in microseconds from 1970
 * @param fullMicros the time at which the token bucket is full, as in {@link LimitShare}
 * @param delivered the number of messages that claims have leased while the rate was limited
 * @param leased the number of leased messages
 * @param hasDue whether a message is due and not leased; false if the queue is paused
 * @param hasExpired whether the lease of a message has expired; false if the queue is paused
 */
public record LimitUse(
    QueueLimits limits,
    ShareLedger ledger,
    long engineMicros,
    long fullMicros,
    long delivered,
    long leased,
    boolean hasDue,
    boolean hasExpired) {}
