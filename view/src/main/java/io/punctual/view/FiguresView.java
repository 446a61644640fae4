package io.punctual.view;

import io.punctual.WorkerFigures;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a worker.
 *
 * @param running the number of calls of the handler that ran
 * @param handled the number of messages since the start whose handler has ended
 * @param failed the number of attempts since the start that failed
 * @param recentMillis the time that the figures below cover
 * @param handledPerMinute the recent messages a minute
 * @param failedPerMinute the recent failed attempts a minute
 * @param latenessMillis the recent lateness, or null if no message came
 */
public record FiguresView(
    int running,
    long handled,
    long failed,
    long recentMillis,
    BigDecimal handledPerMinute,
    BigDecimal failedPerMinute,
    @Nullable LatenessView latenessMillis)
    implements View {
  /** Returns the view of figures. */
  public static FiguresView of(WorkerFigures figures) {
    return new FiguresView(
        figures.running(),
        figures.handled(),
        figures.failed(),
        figures.recent().toMillis(),
        tenths(figures.handledPerMinute()),
        tenths(figures.failedPerMinute()),
        LatenessView.of(figures.lateness()));
  }

  private static BigDecimal tenths(double rate) {
    return BigDecimal.valueOf(rate).setScale(1, RoundingMode.HALF_UP);
  }

  @Override
  public Map<String, @Nullable Object> tree() {
    return new Tree()
        .put("running", running)
        .put("handled", handled)
        .put("failed", failed)
        .put("recentMillis", recentMillis)
        .put("handledPerMinute", handledPerMinute)
        .put("failedPerMinute", failedPerMinute)
        .put("latenessMillis", latenessMillis)
        .toMap();
  }
}
