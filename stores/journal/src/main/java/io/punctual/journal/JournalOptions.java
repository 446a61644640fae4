package io.punctual.journal;

import java.time.Duration;
import java.time.InstantSource;

/**
 * The options of a journal; {@link JournalStore.Builder} explains the first four.
 *
 * @param compactionPause the pause between two searches for segments to compact; zero disables
 *     compaction
 * @param closeTime how long a close waits before it gives up on a disk that does not respond
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
