package io.punctual.journal.partition;

import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.embedded.ClaimLimits;
import io.punctual.embedded.EngineTime;
import io.punctual.embedded.StateCounts;
import io.punctual.journal.format.RecordBuffer;
import io.punctual.journal.log.RecordLog;
import io.punctual.spi.PartitionCounts;

/**
 * The settings of a queue: its pause and its limits. The journal has a record of each change. For
 * the journal's thread alone.
 */
public final class QueueSettings {
  private final ClaimLimits limits = new ClaimLimits();
  private final long startMillis;
  private boolean paused;
  private PauseNote pauseNote = PauseNote.NONE;

  /** Creates the settings of a new queue: no pause and no limits. */
  QueueSettings(long startMillis) {
    this.startMillis = startMillis;
  }

  boolean isPaused() {
    return paused;
  }

  ClaimLimits limits() {
    return limits;
  }

  /** Whether the queue has a pause or limits. */
  boolean isSet() {
    return paused || !limits.limits().equals(QueueLimits.none());
  }

  boolean hasPause(boolean wanted, PauseNote note) {
    return paused == wanted && pauseNote.equals(wanted ? note : PauseNote.NONE);
  }

  void pause(int queue, boolean pause, PauseNote note, RecordLog log) {
    log.records().paused(queue, pause);
    log.added();
    restorePaused(pause);
    if (pause && !note.equals(PauseNote.NONE)) {
      log.records().pauseNote(queue, note);
      log.added();
      pauseNote = note;
    }
  }

  void limit(int queue, QueueLimits newLimits, RecordLog log) {
    log.records().limits(queue, newLimits);
    log.added();
    limits.set(newLimits);
  }

  /**
   * Sets whether the queue is paused, as a record of the journal says, and removes the note of an
   * earlier pause.
   */
  public void restorePaused(boolean wasPaused) {
    paused = wasPaused;
    pauseNote = PauseNote.NONE;
  }

  /** Sets the note of the pause, as a record of the journal says. */
  public void restorePauseNote(PauseNote note) {
    pauseNote = note;
  }

  /** Sets the limits of the queue, as a record of the journal says. */
  public void restoreLimits(QueueLimits stored) {
    limits.restore(stored, new EngineTime(startMillis * 1_000));
  }

  /** Writes the records that restore the settings. */
  void describe(int queue, RecordBuffer into) {
    into.paused(queue, paused);
    if (!pauseNote.equals(PauseNote.NONE)) {
      into.pauseNote(queue, pauseNote);
    }
    if (!limits.limits().equals(QueueLimits.none())) {
      into.limits(queue, limits.limits());
    }
  }

  /** Returns the counts of the queue, with its settings. */
  public PartitionCounts counts(StateCounts counted) {
    return counted.counts(paused, pauseNote, limits.limits());
  }
}
