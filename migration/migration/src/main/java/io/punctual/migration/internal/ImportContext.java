package io.punctual.migration.internal;

import io.punctual.TimedQueue;

/**
 * What an import gives to its source. Not thread-safe.
 *
 * @param queue the queue into which the import schedules
 * @param check checks entries before they leave the old queue
 * @param settings the settings
 * @param tally the counts
 */
public record ImportContext(
    TimedQueue<?> queue, EntryCheck check, RunSettings settings, ImportTally tally) {
  /** Returns whether the run must end before it stages a further entry. */
  public boolean mustStop() {
    return isStopped() || tally.left() > settings.maxLeft();
  }

  public boolean isStopped() {
    return settings.stopped().getAsBoolean();
  }
}
