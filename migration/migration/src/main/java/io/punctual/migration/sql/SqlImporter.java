package io.punctual.migration.sql;

import io.punctual.CancelOutcome;
import io.punctual.TimedQueue;
import io.punctual.migration.ImportReport;
import io.punctual.migration.Importer;
import io.punctual.migration.PayloadReader;
import io.punctual.migration.internal.ImportEntry;
import io.punctual.migration.internal.ImportRun;
import io.punctual.migration.internal.ImportTally;
import io.punctual.migration.internal.RunSettings;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;

/**
 * An import from the tables of a library for scheduled jobs. The importer takes each row in the way
 * in which the library's own scheduler does, so that a live scheduler cannot run it, and deletes
 * the row when the queue has its message.
 *
 * <p>Run a single importer at a time on a task. Two importers of the same task do not lose a row,
 * but one of them fails.
 *
 * @param <T> the payload's type
 * @param <S> the type of the importer
 */
public abstract sealed class SqlImporter<T, S extends SqlImporter<T, S>> extends Importer<S>
    permits DbSchedulerImport, QuartzImport {
  private final Database database;
  private final TimedQueue<T> queue;
  private final PayloadReader<T> payloads;

  SqlImporter(DataSource source, TimedQueue<T> queue, PayloadReader<T> payloads) {
    this.database = new Database(source);
    this.queue = Objects.requireNonNull(queue, "queue");
    this.payloads = Objects.requireNonNull(payloads, "payloads");
  }

  /** Returns the rows of the old library. */
  abstract SqlRows rows(Database database);

  @Override
  public final ImportReport run() {
    ImportTally tally = new ImportTally(false);
    RunSettings settings = settings();
    SqlRows rows = rows(database);
    BooleanSupplier mustStop = () -> isStopped() || tally.left() > settings.maxLeft();
    // Fails at once if the database or a table is missing, whereas the run waits for a database.
    long unused = rows.staged();
    SqlSource source = new SqlSource(rows, tally, mustStop);
    boolean ended = new ImportRun<>(source, queue, payloads, settings, tally).run();
    rows.others().forEach(tally::detail);
    return tally.report(ended && !mustStop.getAsBoolean());
  }

  @Override
  public final ImportReport dryRun() {
    ImportTally tally = new ImportTally(true);
    RunSettings settings = settings();
    SqlRows rows = rows(database);
    byte[] after = {};
    for (List<SqlRows.Candidate> page = rows.waiting(after, settings.batchSize());
        !page.isEmpty() && !isStopped();
        page = rows.waiting(after, settings.batchSize())) {
      page.forEach(candidate -> count(candidate, tally));
      after = page.get(page.size() - 1).entry().token();
      report(tally.report(false));
    }
    tally.detail("staged", rows.staged());
    rows.others().forEach(tally::detail);
    return tally.report(!isStopped());
  }

  private void count(SqlRows.Candidate candidate, ImportTally tally) {
    String skipped = candidate.skipped();
    if (skipped != null) {
      tally.addDetail(skipped, 1);
      return;
    }
    ImportEntry entry = candidate.entry();
    tally.found(entry);
    String problem = entry.problem();
    if (problem == null) {
      try {
        Object unused = payloads.read(entry.payload());
      } catch (Exception e) {
        problem = "Its payload can't be read: " + e.getMessage();
      }
    }
    if (problem != null) {
      tally.left(entry.id(), problem);
    }
  }

  @Override
  public final ImportReport abort() {
    ImportTally tally = new ImportTally(false);
    RunSettings settings = settings();
    SqlRows rows = rows(database);
    SqlSource source = new SqlSource(rows, tally, this::isStopped);
    ImportRun<T> run = new ImportRun<>(source, queue, payloads, settings, tally);
    run.releaseMarked();
    tally.detail("put back", 0);
    for (List<ImportEntry> batch = rows.taken(0, settings.batchSize());
        !batch.isEmpty();
        batch = rows.taken(0, settings.batchSize())) {
      List<CancelOutcome> unused =
          queue.cancelAll(run.held(batch).stream().map(ImportEntry::id).toList());
      rows.giveBack(batch);
      tally.addDetail("put back", batch.size());
    }
    return tally.report(true);
  }
}
