package io.punctual.view;

import io.punctual.QueueLimits;
import io.punctual.WorkerFigures;
import io.punctual.WorkerInfo;
import java.time.Duration;
import java.util.List;

/**
 * The messages that handlers receive, by the figures of their workers.
 *
 * @param evidence the evidence
 */
record Flow(Evidence evidence) {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** The figures of a shorter time, or of fewer messages, show no rate. */
  private static final int ENOUGH = 20;

  /**
   * Returns whether handlers receive less than half of the messages that the limit of the rate
   * allows, so that it holds none back. False if that is not known.
   */
  boolean isBelow(QueueLimits limits) {
    List<WorkerInfo> workers = evidence.workers().orElse(List.of());
    double allowed = (double) limits.rate() * MINUTE.toNanos() / limits.per().toNanos();
    return !workers.isEmpty()
        && workers.stream().allMatch(this::isKnown)
        && allowed >= ENOUGH
        && workers.stream().mapToDouble(Flow::receivedPerMinute).sum() < allowed / 2;
  }

  private boolean isKnown(WorkerInfo worker) {
    return worker.figures().isPresent()
        && worker.startedAt().isBefore(evidence.now().minus(MINUTE));
  }

  private static double receivedPerMinute(WorkerInfo worker) {
    WorkerFigures figures = worker.figures().orElseThrow();
    return figures.recent().isZero()
        ? 0
        : (double) figures.lateness().count() * MINUTE.toNanos() / figures.recent().toNanos();
  }
}
