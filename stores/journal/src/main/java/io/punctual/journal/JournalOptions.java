package io.punctual.journal;

import java.time.Duration;
import java.time.InstantSource;

/**
 * How a journal is opened; see {@link JournalStore.Builder}.
 *
 * @param compactionPause the pause between two searches for segments to compact; zero disables
 *     compaction
 * @param closeTime how long a close waits for a disk that does not answer
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
