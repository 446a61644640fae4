package io.punctual.migration;

import io.punctual.migration.internal.RunSettings;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * An import with its settings. Setters change this object and return it. Not safe for use by many
 * threads, except {@link #stop}.
 *
 * @param <S> the type of the importer
 */
public abstract class Importer<S extends Importer<S>> {
  private boolean follow;
  private int batchSize = RunSettings.BATCH;
  private long maxLeft = RunSettings.MAX_LEFT;
  private Duration patience = RunSettings.PATIENCE;
  private Consumer<ImportReport> progress = report -> {};
  private Consumer<String> waits = reason -> {};
  private volatile boolean stopped;

  /** For the importers of this module. */
  protected Importer() {}

  /** Returns this importer. */
  protected abstract S self();

  /**
   * Sets whether the run continues until {@link #stop}, while other programs still add entries;
   * false by default.
   */
  public final S follow(boolean follow) {
    this.follow = follow;
    return self();
  }

  /** Sets the number of entries in a step, 1 to 1000; 500 by default. */
  public final S batchSize(int entries) {
    batchSize = entries;
    return self();
  }

  /**
   * Sets how many entries may fail to be imported; with more, the run stops. 1000 by default. Many
   * such entries are usually the effect of a wrong option.
   */
  public final S maxLeft(long entries) {
    maxLeft = entries;
    return self();
  }

  /**
   * Sets how long the run repeats a step that fails for a temporary reason, such as a server that
   * does not answer; a minute by default. A run that follows has no such limit.
   */
  public final S patience(Duration patience) {
    this.patience = Objects.requireNonNull(patience, "patience");
    return self();
  }

  /**
   * Sets a receiver of the counts. The run's thread calls it about twice a second, and in a dry run
   * after each page of entries.
   */
  public final S progress(Consumer<ImportReport> progress) {
    this.progress = Objects.requireNonNull(progress, "progress");
    return self();
  }

  /**
   * Sets a receiver of the reasons for which the run waits. The run's thread calls it whenever a
   * step has failed for a temporary reason, with that reason, such as a full store, before it
   * repeats the step.
   */
  public final S onWait(Consumer<String> reasons) {
    waits = Objects.requireNonNull(reasons, "reasons");
    return self();
  }

  /**
   * Ends a run, a dry run or an abort after its current step. This object can't run again; a new
   * importer can continue the import. Any thread may call this method.
   *
   * <p>An interrupt of its thread also ends a run. If the interrupt ends a wait for the store, the
   * run throws a {@link io.punctual.PunctualException} and returns no report; a later run
   * continues.
   */
  public final void stop() {
    stopped = true;
  }

  /** Returns whether {@link #stop} was called. */
  protected final boolean isStopped() {
    return stopped;
  }

  /** Returns the settings of a run. */
  @SuppressWarnings("exports") // Only importers of this module call the method.
  protected final RunSettings settings() {
    return new RunSettings(follow, batchSize, maxLeft, patience, progress, waits, () -> stopped);
  }

  /** Reports the counts so far. */
  protected final void report(ImportReport counts) {
    progress.accept(counts);
  }

  /**
   * Imports the entries. A run that ended early, or whose process died, is continued by a later
   * run: no entry is lost, and the queue receives each entry once.
   *
   * @throws io.punctual.PunctualException if the source or the store cannot be used
   * @throws IllegalArgumentException if a setting is wrong
   */
  public abstract ImportReport run();

  /** Counts the entries, and changes neither the source nor the queue. */
  public abstract ImportReport dryRun();

  /**
   * Undoes an unfinished run: gives the entries that the queue has not received yet back to the
   * source. The report's detail {@code put back} is the number of these entries.
   */
  public abstract ImportReport abort();
}
