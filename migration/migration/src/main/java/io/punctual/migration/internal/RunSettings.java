package io.punctual.migration.internal;

import io.punctual.migration.ImportReport;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The settings of a run. Immutable.
 *
 * @param follow whether the run continues until the source {@linkplain ImportSource#isFinished is
 *     finished}
 * @param batchSize the number of entries in a step, 1 to 1000
 * @param maxLeft how many entries may fail to be imported; with more, the run stops
 * @param patience how long the run repeats a step that fails for a temporary reason; without effect
 *     on a run that follows
 * @param progress receives the counts about twice a second, in a dry run after each page, on the
 *     thread of the run
 * @param waits receives the reason whenever a step fails and is to be repeated, on the thread of
 *     the run
 * @param stopped returns whether the run has to stop after the current step
 */
public record RunSettings(
    boolean follow,
    int batchSize,
    long maxLeft,
    Duration patience,
    Consumer<ImportReport> progress,
    Consumer<String> waits,
    BooleanSupplier stopped) {
  /** The default number of entries in a step. */
  public static final int BATCH = 500;

  public static final long MAX_LEFT = 1000;

  /** The default time for which a run repeats a step. */
  public static final Duration PATIENCE = Duration.ofMinutes(1);

  public RunSettings {
    if (batchSize < 1 || batchSize > 1000) {
      throw new IllegalArgumentException("batchSize must be 1 to 1000, but was " + batchSize);
    }
    if (maxLeft < 0) {
      throw new IllegalArgumentException("maxLeft must be 0 or more, but was " + maxLeft);
    }
  }
}
