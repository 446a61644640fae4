package io.punctual.migration;

import io.punctual.TimedQueue;
import io.punctual.migration.internal.EntryCheck;
import io.punctual.migration.internal.ImportContext;
import io.punctual.migration.internal.ImportEntry;
import io.punctual.migration.internal.ImportRun;
import io.punctual.migration.internal.ImportSource;
import io.punctual.migration.internal.ImportTally;
import io.punctual.migration.internal.RunSettings;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * An import with its settings. Setters change this object and return it. Not safe for use by many
 * threads, except {@link #stop}.
 *
 * @param <T> the payload's type
 * @param <S> the type of the importer
 */
public abstract class Importer<T, S extends Importer<T, S>> {
  private static final String PUT_BACK = "put back";

  private final TimedQueue<T> queue;
  private final PayloadReader<T> payloads;
  private boolean follow;
  private int batchSize;
  private long maxLeft = RunSettings.MAX_LEFT;
  private Duration patience = RunSettings.PATIENCE;
  private Consumer<ImportReport> progress = report -> {};
  private Consumer<String> waits = reason -> {};
  private volatile boolean stopped;

  /** For the importers of this module. */
  protected Importer(TimedQueue<T> queue, PayloadReader<T> payloads, int batchSize) {
    this.queue = Objects.requireNonNull(queue, "queue");
    this.payloads = Objects.requireNonNull(payloads, "payloads");
    this.batchSize = batchSize;
  }

  /** Returns this importer. */
  protected abstract S self();

  /**
   * Opens the source, works on it, and closes it.
   *
   * @return the result of the work
   */
  @SuppressWarnings("exports") // Only importers of this module implement the method.
  protected abstract boolean inSource(ImportContext context, Predicate<ImportSource> work);

  /**
   * Counts the entries for a dry run.
   *
   * @return false if the run was stopped
   */
  @SuppressWarnings("exports") // Only importers of this module implement the method.
  protected abstract boolean count(ImportContext context);

  /**
   * Sets whether the run continues, while other programs still add entries, until {@link #stop} or
   * until the source tells that no program can add one; false by default.
   */
  public final S follow(boolean follow) {
    this.follow = follow;
    return self();
  }

  /** Sets the number of entries in a step, 1 to 1000; 500 by default, and 200 for Redisson. */
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

  /**
   * Imports the entries. A run that ended early, or whose process died, is continued by a later
   * run: no entry is lost, and the queue receives each entry once.
   *
   * @throws io.punctual.PunctualException if the source or the store cannot be used, or another
   *     importer works on the source
   * @throws IllegalArgumentException if a setting is wrong
   */
  public final ImportReport run() {
    return report(
        context(false),
        (source, run) -> {
          source.beginRun();
          return run.run();
        });
  }

  /** Counts the entries, and changes neither the source nor the queue. */
  public final ImportReport dryRun() {
    ImportContext context = context(true);
    boolean complete = count(context);
    return context.tally().report(complete);
  }

  /**
   * Undoes an unfinished run: gives the entries that the queue has not received yet back to the
   * source. The report's detail {@code put back} is the number of these entries.
   */
  public final ImportReport abort() {
    ImportContext context = context(false);
    ImportTally tally = context.tally();
    return report(
        context,
        (source, run) -> {
          run.releaseMarked();
          tally.detail(PUT_BACK, 0);
          source.beginAbort();
          for (List<ImportEntry> batch = source.aborting(batchSize);
              !batch.isEmpty() && !stopped;
              batch = source.aborting(batchSize)) {
            run.withdrawHeld(batch);
            tally.addDetail(PUT_BACK, source.putBack(batch));
          }
          return !stopped;
        });
  }

  /** The steps of a run or of an abort. */
  private interface Work {
    boolean on(ImportSource source, ImportRun<?> run);
  }

  private ImportReport report(ImportContext context, Work work) {
    ImportTally tally = context.tally();
    boolean ended =
        inSource(
            context,
            source -> {
              ImportRun<T> run =
                  new ImportRun<>(source, queue, payloads, context.settings(), tally);
              boolean reached = work.on(source, run);
              source.others().forEach(tally::detail);
              return reached;
            });
    return tally.report(ended && !context.mustStop());
  }

  private ImportContext context(boolean dryRun) {
    RunSettings settings =
        new RunSettings(follow, batchSize, maxLeft, patience, progress, waits, () -> stopped);
    return new ImportContext(queue, new EntryCheck(payloads), settings, new ImportTally(dryRun));
  }
}
