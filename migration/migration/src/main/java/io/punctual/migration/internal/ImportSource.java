package io.punctual.migration.internal;

import java.util.List;
import java.util.Map;

/**
 * The source of an import. An entry is first in the old queue, then in the staging, then among the
 * marked entries; at the end it is removed. Each of these changes is one atomic step. Not
 * thread-safe.
 *
 * <p>All methods may throw a {@link io.punctual.PunctualException}. After a temporary failure, the
 * run begins again: first with the {@link #marked} entries, then with the {@link #staged} entries.
 */
public interface ImportSource {
  /**
   * Prepares a run.
   *
   * @throws io.punctual.PunctualException if an abort must end first
   */
  default void beginRun() {}

  /**
   * Moves entries from the old queue to the staging.
   *
   * @param max the largest number of entries
   * @return the entries; empty if the old queue has none at the moment, or the run must stop
   */
  List<ImportEntry> stage(int max);

  /**
   * Returns entries in the staging, in a fixed order.
   *
   * @param offset the number of entries to skip
   */
  List<ImportEntry> staged(long offset, int max);

  List<ImportEntry> marked(int max);

  /**
   * Moves entries from the staging to the marked entries. Called when the new queue has stored the
   * messages of these entries.
   *
   * @return the entries that were moved, without entries that a different program has taken or
   *     removed
   */
  List<ImportEntry> mark(List<ImportEntry> entries);

  /**
   * Returns the entries that have left the source. The caller removes the held messages of these
   * entries.
   *
   * @param entries entries that {@link #mark} did not return
   * @return the entries, without entries whose messages a second importer releases
   */
  List<ImportEntry> gone(List<ImportEntry> entries);

  /**
   * Gives staged entries that could not be imported back to the old queue. The source does not
   * stage them again.
   *
   * @return the entries that have left the staging
   */
  List<ImportEntry> giveBack(List<ImportEntry> entries);

  /** Returns the number of staged entries. */
  long countStaged();

  void remove(List<ImportEntry> entries);

  /** Returns whether the old queue is empty and nothing can add an entry any more. */
  boolean isFinished();

  /** Reserves the staged entries for an abort. A run can't mark them any more. */
  default void beginAbort() {}

  /** Returns the first entries that an abort has to put back. */
  default List<ImportEntry> aborting(int max) {
    return staged(0, max);
  }

  /** Puts entries of an abort back into the old queue, and returns their number. */
  int putBack(List<ImportEntry> entries);

  /** Returns counts about entries that are not imported, for the report. */
  default Map<String, Long> others() {
    return Map.of();
  }
}
