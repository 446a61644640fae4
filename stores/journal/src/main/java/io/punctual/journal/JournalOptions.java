package io.punctual.journal;

import java.time.Duration;
import java.time.InstantSource;

/**
 * How a journal is opened; see {@link JournalStore.Builder}.
 *
 * @param compactionPause how often is looked for segments to compact; zero is never
 * @param closeTime how long closing waits for a disk that does not answer
 */
record JournalOptions(
    InstantSource clock,
    Fsync fsync,
    long segmentBytes,
    long minFreeBytes,
    Duration compactionPause,
    Duration closeTime) {
  private static final Duration CLOSE_TIME = Duration.ofSeconds(30);

  JournalOptions(
      InstantSource clock,
      Fsync fsync,
      long segmentBytes,
      long minFreeBytes,
      Duration compactionPause) {
    this(clock, fsync, segmentBytes, minFreeBytes, compactionPause, CLOSE_TIME);
  }
}
