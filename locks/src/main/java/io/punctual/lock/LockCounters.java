package io.punctual.lock;

import java.time.Duration;

/**
 * The counters of a {@link RedisLocks} since it was opened. Immutable.
 *
 * @param acquired locks acquired
 * @param notAcquired attempts that ended without the lock: other handles held it, or the attempt
 *     timed out, was interrupted or failed
 * @param released locks released, even if the server did not reply
 * @param lost locks lost before their release
 * @param waited the total time of the attempts that have ended
 * @param held the total time for which locks were held, until their release or loss
 * @param holding locks that are held now
 * @param waiting attempts that wait now
 * @param scripts scripts that were sent to the server
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
