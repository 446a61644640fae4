package io.punctual.lock;

import java.time.Duration;

/**
 * The counters of a {@link RedisLocks} since it was opened. Immutable.
 *
 * @param acquired locks acquired
 * @param notAcquired attempts that ended without the lock: held by other handles, timed out,
 *     interrupted or failed
 * @param released locks released, also without a reply
 * @param lost locks lost while they were believed to be held
 * @param waited the time that all attempts took together
 * @param held the time that all locks were held together, until released or lost
 * @param holding locks that are held now
 * @param waiting attempts that wait now
 * @param scripts scripts that were sent
 */
public record LockCounters(
    long acquired,
    long notAcquired,
    long released,
    long lost,
    Duration waited,
    Duration held,
    long holding,
    long waiting,
    long scripts) {}
