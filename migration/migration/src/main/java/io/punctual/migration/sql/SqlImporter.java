package io.punctual.migration.sql;

import io.punctual.PunctualException;
import io.punctual.TimedQueue;
import io.punctual.migration.ImportReport;
import io.punctual.migration.Importer;
import io.punctual.migration.PayloadReader;
import io.punctual.migration.internal.EntryCheck;
import io.punctual.migration.internal.ImportEntry;
import io.punctual.migration.internal.ImportRun;
import io.punctual.migration.internal.ImportTally;
import io.punctual.migration.internal.ImportTarget;
import io.punctual.migration.internal.RunSettings;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import javax.sql.DataSource;

/**
 * An import from the tables of a library for scheduled jobs. The importer changes each row that it
 * takes, so that a running scheduler does not take the row. It deletes the row when the queue has
 * the row's message.
 *
 * <p>Run a single importer at a time on a task or a group of jobs. Two importers lose no row, but
 * the report of each importer lacks the rows that the other importer has taken.
 *
 * @param <T> the payload's type
 * @param <S> the type of the importer
 */
public abstract sealed class SqlImporter<T, S extends SqlImporter<T, S>> extends Importer<S>
    permits DbSchedulerImport, QuartzImport {
  private final DataSource source;
  private final TimedQueue<T> queue;
  private final PayloadReader<T> payloads;

  SqlImporter(DataSource source, TimedQueue<T> queue, PayloadReader<T> payloads) {
    this.source = Objects.requireNonNull(source, "source");
    this.queue = Objects.requireNonNull(queue, "queue");
    this.payloads = Objects.requireNonNull(payloads, "payloads");
  }

  /** Returns the rows of the old library. */
  abstract SqlRows rows(Database database, ImportTarget target);

  private ImportTarget target() {
    return ImportTarget.of(queue, "");
  }

  /** Works on the rows of the old library, and closes the connection to the database. */
  private ImportReport onRows(Function<SqlRows, ImportReport> work) {
    try (Database database = new Database(source)) {
      return work.apply(rows(database, target()));
    }
  }

  /** Fails if an import has taken rows for a different target. */
  private void checkTarget(SqlRows rows) {
    rows.prepare();
    if (rows.countForeign() > 0) {
      throw target().refusal(null);
    }
  }

  @Override
  public final ImportReport run() {
    return onRows(this::run);
  }

  private ImportReport run(SqlRows rows) {
    ImportTally tally = new ImportTally(false);
    RunSettings settings = settings();
    // This check fails immediately if the database or a table is missing. The run itself would wait
    // for the database.
    checkTarget(rows);
    if (rows.countAborting() > 0) {
      throw new PunctualException(
          "An abort of this import runs or has died; abort the import again before the next run",
          null);
    }
    BooleanSupplier mustStop = () -> isStopped() || tally.left() > settings.maxLeft();
    SqlSource waiting = new SqlSource(rows, new EntryCheck(payloads), tally, mustStop);
    boolean ended = new ImportRun<>(waiting, queue, payloads, settings, tally).run();
    rows.others().forEach(tally::detail);
    return tally.report(ended && !mustStop.getAsBoolean());
  }

  @Override
  public final ImportReport dryRun() {
    return onRows(this::dryRun);
  }

  private ImportReport dryRun(SqlRows rows) {
    ImportTally tally = new ImportTally(true);
    RunSettings settings = settings();
    EntryCheck check = new EntryCheck(payloads);
    Set<String> ids = new HashSet<>();
    byte[] after = {};
    for (List<SqlRows.Candidate> page = rows.waiting(after, settings.batchSize());
        !page.isEmpty() && !isStopped();
        page = rows.waiting(after, settings.batchSize())) {
      page.forEach(candidate -> count(candidate, check, ids, tally));
      after = page.get(page.size() - 1).entry().token();
      report(tally.report(false));
    }
    tally.detail(ImportRun.STAGED, rows.countStaged());
    rows.others().forEach(tally::detail);
    return tally.report(!isStopped());
  }

  private static void count(
      SqlRows.Candidate candidate, EntryCheck check, Set<String> ids, ImportTally tally) {
    String skipped = candidate.skipped();
    if (skipped != null) {
      tally.addDetail(skipped, 1);
      return;
    }
    ImportEntry entry = candidate.entry();
    tally.found(entry);
    String problem = check.problem(entry);
    if (problem != null) {
      tally.left(entry.id(), problem);
    } else if (!ids.add(entry.id())) {
      tally.left(entry.id() + " (second)", "Two entries have this id");
    }
  }

  @Override
  public final ImportReport abort() {
    return onRows(this::abort);
  }

  private ImportReport abort(SqlRows rows) {
    ImportTally tally = new ImportTally(false);
    RunSettings settings = settings();
    checkTarget(rows);
    SqlSource taken = new SqlSource(rows, new EntryCheck(payloads), tally, this::isStopped);
    ImportRun<T> run = new ImportRun<>(taken, queue, payloads, settings, tally);
    run.releaseMarked();
    tally.detail("put back", 0);
    rows.beginAbort();
    for (List<ImportEntry> batch = rows.aborting(settings.batchSize());
        !batch.isEmpty() && !isStopped();
        batch = rows.aborting(settings.batchSize())) {
      run.withdrawHeld(batch);
      tally.addDetail("put back", rows.giveBackAborted(batch).size());
    }
    return tally.report(!isStopped());
  }
}
