package io.punctual.migration.sql;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.migration.internal.EntryCheck;
import io.punctual.migration.internal.ImportEntry;
import io.punctual.migration.internal.ImportTarget;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The rows of one task in the table of db-scheduler. A row that the importer has taken is marked as
 * picked, so that no scheduler runs it. Its heartbeat is in the far future, so that no scheduler
 * treats the execution as dead. For one thread.
 */
final class DbSchedulerRows implements SqlRows {
  private static final String PREFIX = "punctual-import-";
  private static final String RECURRING = "recurring";

  private static final int FINGERPRINT = 12;

  /** A heartbeat in the far future, but within the range of MySQL's TIMESTAMP. */
  private static final OffsetDateTime HEARTBEAT = OffsetDateTime.parse("2037-12-31T00:00:00Z");

  private final Database database;
  private final String table;
  private final String task;
  private final DueMillis dues;
  private final String fingerprint;

  DbSchedulerRows(
      Database database, String table, String task, DueMillis dues, ImportTarget target) {
    this.fingerprint = target.fingerprint(FINGERPRINT);
    this.database = database;
    this.table = Database.checkedName(table);
    this.task = task;
    this.dues = dues;
  }

  /** Returns the value of the column {@code picked_by} of rows in a state. */
  private String by(Hold hold) {
    return PREFIX + hold.name().toLowerCase(Locale.ROOT) + "-" + fingerprint;
  }

  @Override
  public List<Candidate> waiting(byte[] after, int max) {
    return database.query(
        select("picked = ? AND task_instance > ?"),
        List.of(task, false, new String(after, UTF_8)),
        0,
        max,
        this::candidate,
        candidate -> candidate.entry().payload().length);
  }

  private String select(String condition) {
    return "SELECT task_instance, task_data, execution_time, version FROM "
        + table
        + " WHERE task_name = ? AND "
        + condition
        + " ORDER BY task_instance";
  }

  private Candidate candidate(ResultSet row) throws SQLException {
    String instance = row.getString(1);
    return new Candidate(entry(row), instance.equals(RECURRING) ? RECURRING : null, row.getLong(4));
  }

  private ImportEntry entry(ResultSet row) throws SQLException {
    String instance = row.getString(1);
    byte[] token = instance.getBytes(UTF_8);
    DueMillis.Due due = dues.of(row, 3);
    String problem = EntryCheck.idProblem(instance);
    return new ImportEntry(
        token,
        instance,
        due.millis(),
        Database.bytes(row, 2),
        problem == null ? due.problem() : problem);
  }

  @Override
  public List<Candidate> take(List<Candidate> candidates) {
    return database.update(
        "UPDATE "
            + table
            + " SET picked = ?, picked_by = ?, last_heartbeat = ?, version = version + 1"
            + " WHERE task_name = ? AND task_instance = ? AND version = ? AND picked = ?",
        candidates,
        candidate ->
            List.of(
                true,
                by(Hold.STAGED),
                HEARTBEAT,
                task,
                instance(candidate.entry()),
                candidate.version(),
                false));
  }

  private static String instance(ImportEntry entry) {
    return new String(entry.token(), UTF_8);
  }

  @Override
  public List<ImportEntry> held(Hold hold, long offset, int max) {
    return database.query(
        select("picked = ? AND picked_by = ?"),
        List.of(task, true, by(hold)),
        offset,
        max,
        this::entry,
        entry -> entry.payload().length);
  }

  @Override
  public List<ImportEntry> mark(List<ImportEntry> entries) {
    return change(entries, Hold.STAGED);
  }

  @Override
  public List<ImportEntry> stillMarked(List<ImportEntry> entries) {
    return change(entries, Hold.MARKED);
  }

  private List<ImportEntry> change(List<ImportEntry> entries, Hold from) {
    return database.update(
        "UPDATE "
            + table
            + " SET picked_by = ? WHERE task_name = ? AND task_instance = ? AND picked_by = ?",
        entries,
        entry -> List.of(by(Hold.MARKED), task, instance(entry), by(from)));
  }

  @Override
  public void remove(List<ImportEntry> entries) {
    List<ImportEntry> unused =
        database.update(
            "DELETE FROM " + table + " WHERE picked_by = ? AND task_name = ? AND task_instance = ?",
            entries,
            entry -> List.of(by(Hold.MARKED), task, instance(entry)));
  }

  @Override
  public List<ImportEntry> giveBack(List<ImportEntry> entries, Hold hold) {
    return database.update(
        "UPDATE "
            + table
            + " SET picked = ?, picked_by = NULL, last_heartbeat = NULL, version = version + 1"
            + " WHERE task_name = ? AND task_instance = ? AND picked_by = ?",
        entries,
        entry -> List.of(false, task, instance(entry), by(hold)));
  }

  @Override
  public void beginAbort() {
    String sql = "UPDATE " + table + " SET picked_by = ? WHERE task_name = ? AND picked_by = ?";
    int unused =
        database.transaction(
            connection -> Database.update(connection, sql, by(Hold.ABORT), task, by(Hold.STAGED)));
  }

  @Override
  public long count(Hold hold) {
    return count("task_name = ? AND picked_by = ?", task, by(hold));
  }

  @Override
  public long countForeign() {
    return count(
        "task_name = ? AND picked_by LIKE ? AND picked_by NOT IN (?, ?, ?)",
        task,
        PREFIX + "%",
        by(Hold.STAGED),
        by(Hold.MARKED),
        by(Hold.ABORT));
  }

  @Override
  public long countStaged() {
    return count("task_name = ? AND picked_by LIKE ?", task, PREFIX + "%");
  }

  @Override
  public Map<String, Long> others() {
    Map<String, Long> counts = new LinkedHashMap<>();
    counts.put(
        "running",
        count(
            "task_name = ? AND picked = ? AND (picked_by IS NULL OR picked_by NOT LIKE ?)",
            task,
            true,
            PREFIX + "%"));
    counts.put("other tasks", count("task_name <> ?", task));
    return counts;
  }

  private long count(String condition, Object... arguments) {
    return database.count("SELECT count(*) FROM " + table + " WHERE " + condition, arguments);
  }
}
