package io.punctual.view;

import io.punctual.QueueLimits;
import io.punctual.WorkerFigures;
import io.punctual.WorkerInfo;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The messages that handlers receive, by the figures of their workers. Consumers that are no
 * workers use a limit, too, and have no figures, so these show no cause.
 *
 * @param evidence the evidence
 */
record Flow(Evidence evidence) {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** Figures cover up to 70 seconds, and are up to 10 seconds old. */
  private static final Duration WINDOW = Duration.ofSeconds(80);

  /** The figures of fewer messages show no rate. */
  private static final int ENOUGH = 20;

  /**
   * Returns how many messages workers receive of those that the limit of the rate allows. Empty if
   * that is not known for a time in which messages were due all along.
   *
   * @param overdue how long the oldest message is due
   */
  Optional<String> words(QueueLimits limits, Duration overdue) {
    List<WorkerInfo> workers = evidence.workers().orElse(List.of());
    double allowed = (double) limits.rate() * MINUTE.toNanos() / limits.per().toNanos();
    if (overdue.compareTo(WINDOW) < 0
        || allowed < ENOUGH
        || workers.isEmpty()
        || !workers.stream().allMatch(this::isKnown)) {
      return Optional.empty();
    }
    double received = workers.stream().mapToDouble(Flow::receivedPerMinute).sum();
    return Optional.of(
        String.format(
            Locale.ROOT,
            "its workers receive %,.0f of the %,.0f messages a minute that it allows",
            received,
            allowed));
  }

  private boolean isKnown(WorkerInfo worker) {
    return worker.startedAt().isBefore(evidence.now().minus(WINDOW))
        && worker.figures().filter(known -> known.recent().compareTo(WINDOW) <= 0).isPresent();
  }

  private static double receivedPerMinute(WorkerInfo worker) {
    WorkerFigures figures = worker.figures().orElseThrow();
    return figures.recent().isZero()
        ? 0
        : (double) figures.lateness().count() * MINUTE.toNanos() / figures.recent().toNanos();
  }
}
