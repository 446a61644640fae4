package io.punctual.migration.redis;

import io.punctual.migration.internal.ImportEntry;
import java.time.Clock;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The due times of entries. Immutable.
 *
 * @param unit the unit of the scores
 * @param anyTime whether to accept times that are probably in a different unit
 * @param clock the clock for the due times of elements of a list that are not staged yet
 */
record DueTimes(ScoreUnit unit, boolean anyTime, Clock clock) {
  /**
   * The start of the plausible range. Seconds that are read as milliseconds are earlier than this
   * range, and milliseconds that are read as seconds are later.
   */
  private static final Instant EARLIEST = Instant.parse("2000-01-01T00:00:00Z");

  private static final Instant LATEST = Instant.parse("2200-01-01T00:00:00Z");

  long now() {
    return clock.millis();
  }

  /**
   * Returns an entry for the run.
   *
   * @param token the staged entry; empty for an entry that is not staged
   * @param staged the due time of a staged entry, or of an element of a list
   */
  ImportEntry entry(byte[] token, RedisEntry entry, Reading reading, long staged) {
    long due = staged;
    String problem = reading.problem();
    if (entry.isSorted() && token.length == 0) {
      try {
        due = unit.dueMillis(entry.label());
        problem = problem == null ? implausible(due) : problem;
      } catch (ArithmeticException | NumberFormatException e) {
        problem = "Its score " + entry.label() + " is no time";
      }
    }
    String skipped = reading.skipped();
    if (problem == null && skipped != null) {
      problem = "It is not imported: " + skipped;
    }
    return new ImportEntry(token, reading.id(), due, reading.payload(), problem);
  }

  private @Nullable String implausible(long due) {
    if (anyTime || (due >= EARLIEST.toEpochMilli() && due < LATEST.toEpochMilli())) {
      return null;
    }
    return "It would be due at "
        + Instant.ofEpochMilli(due)
        + "; check the unit of the scores, or accept any time";
  }
}
