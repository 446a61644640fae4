package io.punctual.migration;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The counts of an import, or of a dry run. Immutable.
 *
 * @param found the number of entries that the run has read from the source; an entry that a
 *     repeated step reads again counts again
 * @param scheduled the number of messages that the run has put into the queue, including messages
 *     that an earlier run began to put there; 0 in a dry run
 * @param present the number of entries that the queue already had as messages, for example from an
 *     earlier run
 * @param left the number of entries that could not be imported; these entries stay at the source
 * @param earliest the earliest due time of the found entries; empty if none was found
 * @param latest the latest due time of the found entries; empty if none was found
 * @param details further counts of the importer, by name, in the order of the importer's
 *     documentation
 * @param problems the first entries that could not be imported, 100 at most
 * @param elapsed how long the run has taken
 * @param dryRun whether the run only counted
 * @param complete whether the run has reached its end; false if it was stopped, and in a report of
 *     progress
 */
public record ImportReport(
    long found,
    long scheduled,
    long present,
    long left,
    Optional<Instant> earliest,
    Optional<Instant> latest,
    Map<String, Long> details,
    List<ImportProblem> problems,
    Duration elapsed,
    boolean dryRun,
    boolean complete) {
  /**
   * Creates a report. The map of details is not copied, so that it keeps its order; it must not
   * change.
   */
  public ImportReport {
    problems = List.copyOf(problems);
  }

  /** Returns whether the run reached its end, and {@link #left} is 0. */
  public boolean isClean() {
    return complete && left == 0;
  }
}
