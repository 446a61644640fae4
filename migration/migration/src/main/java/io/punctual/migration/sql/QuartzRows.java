package io.punctual.migration.sql;

import io.punctual.migration.internal.EntryCheck;
import io.punctual.migration.internal.ImportEntry;
import io.punctual.migration.internal.ImportTarget;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The triggers of one group of jobs in the tables of Quartz. A trigger that an import has taken has
 * a special state, in which no scheduler fires the trigger, and keys of the importer, so that no
 * call of the application finds the trigger or its job. Not thread-safe.
 */
final class QuartzRows implements SqlRows {
  private static final String WAITING = "WAITING";
  private static final String PAUSED = "PAUSED";
  private static final String PREFIX = "PUNCT_";

  /**
   * The number of digits of a target's fingerprint. With the prefix, a letter and an underscore,
   * the fingerprint fills the 16 characters of the column.
   */
  private static final int FINGERPRINT = 8;

  private static final String RECURRING = "recurring";

  /** The triggers that one transaction takes, because Quartz waits meanwhile. */
  private static final int TAKEN_AT_ONCE = 50;

  private final Database database;
  private final String prefix;
  private final String scheduler;
  private final String group;
  private final String fingerprint;
  private final QuartzTables tables;
  private final HeldTriggers held;

  QuartzRows(
      Database database, String prefix, String scheduler, String group, ImportTarget target) {
    this.fingerprint = target.fingerprint(FINGERPRINT);
    this.database = database;
    this.prefix = Database.checkedName(prefix);
    this.scheduler = scheduler;
    this.group = group;
    this.tables = new QuartzTables(this.prefix, scheduler);
    this.held = new HeldTriggers(database, tables, group, PREFIX);
  }

  /** Returns the names of the schedulers that have triggers. */
  static List<String> schedulers(Database database, String prefix) {
    return database.query(
        "SELECT DISTINCT SCHED_NAME FROM "
            + Database.checkedName(prefix)
            + "TRIGGERS ORDER BY SCHED_NAME",
        List.of(),
        0,
        100,
        row -> row.getString(1));
  }

  /** Returns the state of Quartz of triggers in a state of the import. */
  private String state(Hold hold) {
    return PREFIX + hold.name().charAt(0) + "_" + fingerprint;
  }

  @Override
  public List<Candidate> waiting(byte[] after, int max) {
    List<Object> arguments = new ArrayList<>(List.of(scheduler, group, WAITING));
    String condition = "t.JOB_GROUP = ? AND t.TRIGGER_STATE = ?";
    if (after.length > 0) {
      TriggerKey key = TriggerKey.of(after);
      arguments.addAll(List.of(key.group(), key.group(), key.name()));
      condition += " AND (t.TRIGGER_GROUP > ? OR (t.TRIGGER_GROUP = ? AND t.TRIGGER_NAME > ?))";
    }
    return database.query(
        select(condition),
        arguments,
        0,
        max,
        this::candidate,
        candidate -> candidate.entry().payload().length);
  }

  private String select(String condition) {
    return "SELECT t.TRIGGER_GROUP, t.TRIGGER_NAME, t.JOB_NAME, t.JOB_GROUP, j.JOB_CLASS_NAME,"
        + " t.NEXT_FIRE_TIME, t.TRIGGER_TYPE, s.REPEAT_COUNT, j.JOB_DATA, t.JOB_DATA FROM "
        + prefix
        + "TRIGGERS t JOIN "
        + prefix
        + "JOB_DETAILS j ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME"
        + " AND j.JOB_GROUP = t.JOB_GROUP LEFT JOIN "
        + prefix
        + "SIMPLE_TRIGGERS s ON s.SCHED_NAME = t.SCHED_NAME AND s.TRIGGER_NAME = t.TRIGGER_NAME"
        + " AND s.TRIGGER_GROUP = t.TRIGGER_GROUP WHERE t.SCHED_NAME = ? AND "
        + condition
        + " ORDER BY t.TRIGGER_GROUP, t.TRIGGER_NAME";
  }

  private Candidate candidate(ResultSet row) throws SQLException {
    long repeats = row.getLong(8);
    boolean repeatsKnown = !row.wasNull();
    boolean once = repeatsKnown && repeats == 0 && "SIMPLE".equals(row.getString(7));
    return new Candidate(entry(row, row.getString(1)), once ? null : RECURRING, row.getLong(6));
  }

  private ImportEntry heldEntry(ResultSet row) throws SQLException {
    return entry(row, held.original(row.getString(1)));
  }

  private ImportEntry entry(ResultSet row, String triggerGroup) throws SQLException {
    QuartzJob job =
        new QuartzJob(
            row.getString(3),
            group,
            row.getString(5),
            row.getString(2),
            triggerGroup,
            Database.bytes(row, 9),
            Database.bytes(row, 10));
    long due = row.getLong(6);
    @Nullable String problem = EntryCheck.idProblem(job.name());
    if (row.wasNull() || due < 0) {
      problem = "Its trigger has no next fire time";
    }
    // With the prefix of a held trigger, the group must fit the column.
    int longest = row.getMetaData().getPrecision(1) - PREFIX.length();
    if (triggerGroup.length() > longest) {
      problem = "The group of its trigger has more than " + longest + " characters";
    }
    byte[] token = new TriggerKey(job.triggerGroup(), job.triggerName()).token();
    return new ImportEntry(token, job.name(), due, job.toBytes(), problem);
  }

  @Override
  public List<Candidate> take(List<Candidate> candidates) {
    List<Candidate> taken = new ArrayList<>();
    for (int i = 0; i < candidates.size(); i += TAKEN_AT_ONCE) {
      List<Candidate> some = candidates.subList(i, Math.min(candidates.size(), i + TAKEN_AT_ONCE));
      taken.addAll(
          held.locked(
              connection -> {
                List<Candidate> moved = new ArrayList<>();
                for (Candidate candidate : some) {
                  if (take(connection, candidate)) {
                    moved.add(candidate);
                  }
                }
                return moved;
              }));
    }
    return taken;
  }

  private boolean take(Connection connection, Candidate candidate) throws SQLException {
    TriggerKey key = TriggerKey.of(candidate.entry().token());
    if (held.has(connection, key)) {
      // The application has scheduled it again; a run that has dealt with the held one takes it.
      return false;
    }
    boolean unchanged =
        Database.update(
                connection,
                changeState() + " AND NEXT_FIRE_TIME = ?",
                state(Hold.STAGED),
                scheduler,
                key.group(),
                key.name(),
                WAITING,
                candidate.version())
            > 0;
    if (unchanged) {
      held.take(connection, key, candidate.entry().id());
    }
    return unchanged;
  }

  /** Gives the keys of the importer to triggers that an earlier version took without new keys. */
  @Override
  public void prepare() {
    List<ImportEntry> old;
    do {
      old =
          database.query(
              select("t.JOB_GROUP = ? AND t.TRIGGER_STATE LIKE ?"),
              List.of(scheduler, group, PREFIX + "%"),
              0,
              TAKEN_AT_ONCE,
              row -> entry(row, row.getString(1)));
      List<ImportEntry> found = old;
      if (!found.isEmpty()) {
        int unused = held.locked(connection -> rename(connection, found));
      }
    } while (!old.isEmpty());
  }

  private int rename(Connection connection, List<ImportEntry> entries) throws SQLException {
    String lock =
        "UPDATE "
            + prefix
            + "TRIGGERS SET JOB_GROUP = JOB_GROUP WHERE SCHED_NAME = ? AND TRIGGER_GROUP = ?"
            + " AND TRIGGER_NAME = ? AND TRIGGER_STATE LIKE ?";
    int renamed = 0;
    for (ImportEntry entry : entries) {
      TriggerKey key = TriggerKey.of(entry.token());
      if (Database.update(connection, lock, scheduler, key.group(), key.name(), PREFIX + "%") > 0) {
        held.take(connection, key, entry.id());
        renamed++;
      }
    }
    return renamed;
  }

  @Override
  public List<ImportEntry> held(Hold hold, long offset, int max) {
    return database.query(
        select("t.JOB_GROUP LIKE ? AND t.TRIGGER_STATE = ?"),
        List.of(scheduler, held.jobGroups(), state(hold)),
        offset,
        max,
        this::heldEntry,
        entry -> entry.payload().length);
  }

  @Override
  public List<ImportEntry> mark(List<ImportEntry> entries) {
    return held.locked(
        connection -> {
          int unused = held.deleteWithJobs(connection, state(Hold.STAGED));
          List<ImportEntry> changed = new ArrayList<>();
          for (ImportEntry entry : entries) {
            Object[] change = arguments(state(Hold.MARKED), entry, Hold.STAGED).toArray();
            if (Database.update(connection, changeState(), change) > 0) {
              changed.add(entry);
            }
          }
          return changed;
        });
  }

  @Override
  public List<ImportEntry> stillMarked(List<ImportEntry> entries) {
    return database.update(
        changeState(), entries, entry -> arguments(state(Hold.MARKED), entry, Hold.MARKED));
  }

  @Override
  public List<ImportEntry> giveBack(List<ImportEntry> entries, Hold hold) {
    return held.locked(
        connection -> {
          int unused = held.deleteWithJobs(connection, state(hold));
          List<ImportEntry> given = new ArrayList<>();
          for (ImportEntry entry : entries) {
            TriggerKey key = TriggerKey.of(entry.token());
            String state = tables.isPaused(connection, key.group()) ? PAUSED : WAITING;
            Object[] change = arguments(state, entry, hold).toArray();
            if (Database.update(connection, changeState(), change) > 0) {
              held.giveBack(connection, key, entry.id());
              given.add(entry);
            }
          }
          return given;
        });
  }

  @Override
  public void beginAbort() {
    String sql =
        "UPDATE "
            + prefix
            + "TRIGGERS SET TRIGGER_STATE = ? WHERE SCHED_NAME = ? AND JOB_GROUP LIKE ?"
            + " AND TRIGGER_STATE = ?";
    int unused =
        database.transaction(
            connection ->
                Database.update(
                    connection,
                    sql,
                    state(Hold.ABORT),
                    scheduler,
                    held.jobGroups(),
                    state(Hold.STAGED)));
  }

  private String changeState() {
    return "UPDATE "
        + prefix
        + "TRIGGERS SET TRIGGER_STATE = ? WHERE SCHED_NAME = ? AND TRIGGER_GROUP = ?"
        + " AND TRIGGER_NAME = ? AND TRIGGER_STATE = ?";
  }

  private List<Object> arguments(String first, ImportEntry entry, Hold hold) {
    TriggerKey key = held.trigger(TriggerKey.of(entry.token()));
    return List.of(first, scheduler, key.group(), key.name(), state(hold));
  }

  @Override
  public void remove(List<ImportEntry> entries) {
    int unused =
        database.transaction(
            connection -> {
              for (ImportEntry entry : entries) {
                remove(connection, entry);
              }
              return entries.size();
            });
  }

  /** Deletes a held trigger and its job. */
  private void remove(Connection connection, ImportEntry entry) throws SQLException {
    Object[] lock = arguments(state(Hold.MARKED), entry, Hold.MARKED).toArray();
    if (Database.update(connection, changeState(), lock) > 0) {
      TriggerKey key = TriggerKey.of(entry.token());
      held.delete(connection, key, entry.id());
    }
  }

  @Override
  public long count(Hold hold) {
    return count("JOB_GROUP LIKE ? AND TRIGGER_STATE = ?", held.jobGroups(), state(hold));
  }

  @Override
  public long countForeign() {
    return count(
        "JOB_GROUP LIKE ? AND TRIGGER_STATE LIKE ? AND TRIGGER_STATE NOT IN (?, ?, ?)",
        held.jobGroups(),
        PREFIX + "%",
        state(Hold.STAGED),
        state(Hold.MARKED),
        state(Hold.ABORT));
  }

  @Override
  public long countStaged() {
    return count(
        "(JOB_GROUP LIKE ? OR JOB_GROUP = ?) AND TRIGGER_STATE LIKE ?",
        held.jobGroups(),
        group,
        PREFIX + "%");
  }

  @Override
  public Map<String, Long> others() {
    Map<String, Long> counts = new LinkedHashMap<>();
    // A trigger that will not fire again is COMPLETE while its last job runs.
    counts.put(
        "running",
        count(
            "JOB_GROUP = ? AND TRIGGER_STATE IN (?, ?, ?)",
            group,
            "ACQUIRED",
            "BLOCKED",
            "COMPLETE"));
    counts.put(
        "paused",
        count("JOB_GROUP = ? AND TRIGGER_STATE IN (?, ?)", group, "PAUSED", "PAUSED_BLOCKED"));
    counts.put("in error", count("JOB_GROUP = ? AND TRIGGER_STATE = ?", group, "ERROR"));
    counts.put(
        "other groups", count("JOB_GROUP <> ? AND TRIGGER_STATE NOT LIKE ?", group, PREFIX + "%"));
    return counts;
  }

  private long count(String condition, Object... arguments) {
    List<Object> all = new ArrayList<>(List.of(scheduler));
    all.addAll(List.of(arguments));
    return database.count(
        "SELECT count(*) FROM " + prefix + "TRIGGERS WHERE SCHED_NAME = ? AND " + condition,
        all.toArray());
  }
}
