package io.punctual.journal;

import java.time.Duration;
import java.time.InstantSource;

/**
 * How a journal is opened; see {@link JournalStore.Builder}.
 *
 * @param compactionPause how often is looked for segments to compact; zero is never
 */
record JournalOptions(
    InstantSource clock,
    Fsync fsync,
    long segmentBytes,
    long minFreeBytes,
    Duration compactionPause) {}
