package io.punctual.migration.sql;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.migration.internal.ImportEntry;
import io.punctual.migration.internal.ImportTarget;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
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
  private final String stagedBy;
  private final String markedBy;
  private final String abortedBy;

  DbSchedulerRows(
      Database database, String table, String task, DueMillis dues, ImportTarget target) {
    String fingerprint = target.fingerprint(FINGERPRINT);
    this.stagedBy = PREFIX + "staged-" + fingerprint;
    this.markedBy = PREFIX + "marked-" + fingerprint;
    this.abortedBy = PREFIX + "abort-" + fingerprint;
    this.database = database;
    this.table = Database.checkedName(table);
    this.task = task;
    this.dues = dues;
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
    String problem = RowIds.problem(instance);
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
                stagedBy,
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
  public List<ImportEntry> taken(long offset, int max) {
    return picked(stagedBy, offset, max);
  }

  @Override
  public List<ImportEntry> marked(int max) {
    return picked(markedBy, 0, max);
  }

  private List<ImportEntry> picked(String by, long offset, int max) {
    return database.query(
        select("picked = ? AND picked_by = ?"),
        List.of(task, true, by),
        offset,
        max,
        this::entry,
        entry -> entry.payload().length);
  }

  @Override
  public List<ImportEntry> mark(List<ImportEntry> entries) {
    return change(entries, stagedBy, markedBy);
  }

  @Override
  public List<ImportEntry> stillMarked(List<ImportEntry> entries) {
    return change(entries, markedBy, markedBy);
  }

  private List<ImportEntry> change(List<ImportEntry> entries, String from, String to) {
    return database.update(
        "UPDATE "
            + table
            + " SET picked_by = ? WHERE task_name = ? AND task_instance = ? AND picked_by = ?",
        entries,
        entry -> List.of(to, task, instance(entry), from));
  }

  @Override
  public void remove(List<ImportEntry> entries) {
    List<ImportEntry> unused =
        database.update(
            "DELETE FROM " + table + " WHERE picked_by = ? AND task_name = ? AND task_instance = ?",
            entries,
            entry -> List.of(markedBy, task, instance(entry)));
  }

  @Override
  public List<ImportEntry> giveBack(List<ImportEntry> entries) {
    return giveBack(entries, stagedBy);
  }

  @Override
  public List<ImportEntry> giveBackAborted(List<ImportEntry> entries) {
    return giveBack(entries, abortedBy);
  }

  private List<ImportEntry> giveBack(List<ImportEntry> entries, String by) {
    return database.update(
        "UPDATE "
            + table
            + " SET picked = ?, picked_by = NULL, last_heartbeat = NULL, version = version + 1"
            + " WHERE task_name = ? AND task_instance = ? AND picked_by = ?",
        entries,
        entry -> List.of(false, task, instance(entry), by));
  }

  @Override
  public void beginAbort() {
    String sql = "UPDATE " + table + " SET picked_by = ? WHERE task_name = ? AND picked_by = ?";
    int unused =
        database.transaction(
            connection -> Database.update(connection, sql, abortedBy, task, stagedBy));
  }

  @Override
  public List<ImportEntry> aborting(int max) {
    return picked(abortedBy, 0, max);
  }

  @Override
  public long countAborting() {
    return count("task_name = ? AND picked_by = ?", task, abortedBy);
  }

  @Override
  public long countTaken() {
    return count("task_name = ? AND picked_by = ?", task, stagedBy);
  }

  @Override
  public long countForeign() {
    return count(
        "task_name = ? AND picked_by LIKE ? AND picked_by NOT IN (?, ?, ?)",
        task,
        PREFIX + "%",
        stagedBy,
        markedBy,
        abortedBy);
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
