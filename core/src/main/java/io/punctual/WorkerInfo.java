package io.punctual;

import java.time.Instant;

/**
 * A worker of any process, as {@link Punctual#workers} lists it.
 *
 * @param name the name of the worker; see {@link WorkerOptions#name()}
 * @param queue the name of its queue
 * @param concurrency how many calls of its handler may run at once
 * @param isPaused whether {@link Worker#pause} has paused this worker
 * @param host the name of the host, or "unknown"
 * @param pid the id of the process on its host
 * @param version the version of Punctual, or "unknown"
 * @param startedAt the start of the worker, by the clock of its process
 * @param lastSeenAt the time at which the process last renewed its entry, by the store's clock
 */
public record WorkerInfo(
    String name,
    String queue,
    int concurrency,
    boolean isPaused,
    String host,
    long pid,
    String version,
    Instant startedAt,
    Instant lastSeenAt) {}
