package io.punctual.migration.sql;

import io.punctual.TimedQueue;
import io.punctual.migration.Importer;
import io.punctual.migration.PayloadReader;
import io.punctual.migration.internal.ImportContext;
import io.punctual.migration.internal.ImportEntry;
import io.punctual.migration.internal.ImportRun;
import io.punctual.migration.internal.ImportSource;
import io.punctual.migration.internal.ImportTally;
import io.punctual.migration.internal.ImportTarget;
import io.punctual.migration.internal.RunSettings;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
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
public abstract sealed class SqlImporter<T, S extends SqlImporter<T, S>> extends Importer<T, S>
    permits DbSchedulerImport, QuartzImport {
  private final DataSource source;

  SqlImporter(DataSource source, TimedQueue<T> queue, PayloadReader<T> payloads) {
    super(queue, payloads, RunSettings.BATCH);
    this.source = Objects.requireNonNull(source, "source");
  }

  /** Returns the rows of the old library. */
  abstract SqlRows rows(Database database, ImportTarget target);

  @Override
  @SuppressWarnings("exports")
  protected final boolean inSource(ImportContext context, Predicate<ImportSource> work) {
    try (Database database = new Database(source)) {
      ImportTarget target = ImportTarget.of(context.queue(), "");
      SqlRows rows = rows(database, target);
      // These calls fail immediately if the database or a table is missing. The run itself would
      // wait for the database.
      rows.prepare();
      if (rows.countForeign() > 0) {
        throw target.refusal(null);
      }
      return work.test(new SqlSource(rows, context));
    }
  }

  @Override
  @SuppressWarnings("exports")
  protected final boolean count(ImportContext context) {
    try (Database database = new Database(source)) {
      SqlRows rows = rows(database, ImportTarget.of(context.queue(), ""));
      ImportTally tally = context.tally();
      int batchSize = context.settings().batchSize();
      Set<String> ids = new HashSet<>();
      byte[] after = {};
      for (List<SqlRows.Candidate> page = rows.waiting(after, batchSize);
          !page.isEmpty() && !context.isStopped();
          page = rows.waiting(after, batchSize)) {
        page.forEach(candidate -> count(candidate, context, ids));
        after = page.get(page.size() - 1).entry().token();
        context.settings().progress().accept(tally.report(false));
      }
      tally.detail(ImportRun.STAGED, rows.countStaged());
      rows.others().forEach(tally::detail);
      return !context.isStopped();
    }
  }

  private static void count(SqlRows.Candidate candidate, ImportContext context, Set<String> ids) {
    ImportTally tally = context.tally();
    String skipped = candidate.skipped();
    if (skipped != null) {
      tally.addDetail(skipped, 1);
      return;
    }
    ImportEntry entry = candidate.entry();
    tally.found(entry);
    String problem = context.check().problem(entry);
    if (problem != null) {
      tally.left(entry.id(), problem);
    } else if (!ids.add(entry.id())) {
      tally.left(entry.id() + " (second)", "Two entries have this id");
    }
  }
}
