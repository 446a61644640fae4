package io.punctual.migration.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a trigger in the tables of a scheduler, moved between two keys. While an importer
 * holds a trigger, the trigger and its job have keys of the importer. So the application's calls
 * tell the truth: a trigger or job that is held does not exist for them, and the call is refused.
 *
 * @param prefix the prefix of the tables
 * @param scheduler the name of the scheduler
 */
record QuartzTables(String prefix, String scheduler) {
  private static final String LOCK = "TRIGGER_ACCESS";

  /** The name that Quartz writes in place of a group while all groups are paused. */
  private static final String ALL_GROUPS = "_$_ALL_GROUPS_PAUSED_$_";

  record JobKey(String group, String name) {}

  record Trigger(TriggerKey key, JobKey job) {}

  private static final Set<Integer> BINARY =
      Set.of(Types.BLOB, Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY);

  /** A row: the values of its columns, and their types. */
  private record Row(Map<String, @Nullable Object> values, Map<String, Integer> types) {
    Row with(String column, String value) {
      Map<String, @Nullable Object> changed = new TreeMap<>(values);
      changed.put(column, value);
      return new Row(changed, types);
    }
  }

  /** Inserts the row that the schedulers of a cluster lock. */
  int insertLock(Connection connection) throws SQLException {
    return Database.update(
        connection,
        "INSERT INTO " + prefix + "LOCKS (SCHED_NAME, LOCK_NAME) VALUES (?, ?)",
        scheduler,
        LOCK);
  }

  /**
   * Locks the triggers until the end of the transaction, as the schedulers of a cluster do for each
   * change.
   *
   * @return whether the row of the lock exists
   */
  boolean isLocked(Connection connection) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT LOCK_NAME FROM "
                + prefix
                + "LOCKS WHERE SCHED_NAME = ? AND LOCK_NAME = ? FOR UPDATE")) {
      statement.setString(1, scheduler);
      statement.setString(2, LOCK);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next();
      }
    }
  }

  /**
   * Moves a trigger of the type SimpleTrigger with its job to other keys. The job is copied if the
   * new key is free; the old one is deleted unless it is durable or has further triggers.
   */
  void move(Connection connection, TriggerKey from, JobKey job, TriggerKey to, JobKey newJob)
      throws SQLException {
    Row trigger = read(connection, "TRIGGERS", triggerCondition(), from.group(), from.name());
    Row simple = read(connection, "SIMPLE_TRIGGERS", triggerCondition(), from.group(), from.name());
    Row details = read(connection, "JOB_DETAILS", jobCondition(), job.group, job.name);
    if (trigger == null || details == null) {
      throw new SQLException("The trigger " + from + " or its job " + job + " is incomplete");
    }
    if (read(connection, "JOB_DETAILS", jobCondition(), newJob.group, newJob.name) == null) {
      insert(connection, "JOB_DETAILS", details.with("JOB_GROUP", newJob.group));
    }
    insert(
        connection,
        "TRIGGERS",
        trigger
            .with("TRIGGER_GROUP", to.group())
            .with("TRIGGER_NAME", to.name())
            .with("JOB_GROUP", newJob.group));
    if (simple != null) {
      insert(
          connection,
          "SIMPLE_TRIGGERS",
          simple.with("TRIGGER_GROUP", to.group()).with("TRIGGER_NAME", to.name()));
    }
    deleteTrigger(connection, from);
    int unused =
        Database.update(
            connection,
            "DELETE FROM "
                + prefix
                + "JOB_DETAILS WHERE "
                + jobCondition()
                + " AND IS_DURABLE = ? AND NOT EXISTS (SELECT 1 FROM "
                + prefix
                + "TRIGGERS t WHERE t.SCHED_NAME = ? AND t.JOB_GROUP = ? AND t.JOB_NAME = ?)",
            scheduler,
            job.group,
            job.name,
            false,
            scheduler,
            job.group,
            job.name);
  }

  /** Deletes a job that has no trigger. */
  void deleteJob(Connection connection, JobKey job) throws SQLException {
    int unused =
        Database.update(
            connection,
            "DELETE FROM " + prefix + "JOB_DETAILS WHERE " + jobCondition(),
            scheduler,
            job.group,
            job.name);
  }

  boolean exists(Connection connection, TriggerKey key) throws SQLException {
    return read(connection, "TRIGGERS", triggerCondition(), key.group(), key.name()) != null;
  }

  /** Returns whether a new trigger of this group would be paused. */
  boolean isPaused(Connection connection, String group) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT TRIGGER_GROUP FROM "
                + prefix
                + "PAUSED_TRIGGER_GRPS WHERE SCHED_NAME = ? AND TRIGGER_GROUP IN (?, ?)")) {
      statement.setString(1, scheduler);
      statement.setString(2, group);
      statement.setString(3, ALL_GROUPS);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next();
      }
    }
  }

  /**
   * Returns the triggers with a durable job that has no counterpart of the same name.
   *
   * @param jobGroups a pattern for LIKE of the groups of the jobs
   * @param counterparts the group of the counterparts
   */
  List<Trigger> withoutDurableJob(
      Connection connection, String jobGroups, String counterparts, String state)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT t.TRIGGER_GROUP, t.TRIGGER_NAME, t.JOB_GROUP, t.JOB_NAME FROM "
                + prefix
                + "TRIGGERS t JOIN "
                + prefix
                + "JOB_DETAILS j ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_GROUP = t.JOB_GROUP"
                + " AND j.JOB_NAME = t.JOB_NAME WHERE t.SCHED_NAME = ? AND t.JOB_GROUP LIKE ?"
                + " AND t.TRIGGER_STATE = ? AND j.IS_DURABLE = ? AND NOT EXISTS (SELECT 1 FROM "
                + prefix
                + "JOB_DETAILS c WHERE c.SCHED_NAME = t.SCHED_NAME AND c.JOB_GROUP = ?"
                + " AND c.JOB_NAME = t.JOB_NAME)")) {
      statement.setString(1, scheduler);
      statement.setString(2, jobGroups);
      statement.setString(3, state);
      statement.setObject(4, true);
      statement.setString(5, counterparts);
      try (ResultSet rows = statement.executeQuery()) {
        List<Trigger> found = new ArrayList<>();
        while (rows.next()) {
          found.add(
              new Trigger(
                  new TriggerKey(rows.getString(1), rows.getString(2)),
                  new JobKey(rows.getString(3), rows.getString(4))));
        }
        return found;
      }
    }
  }

  void deleteTrigger(Connection connection, TriggerKey key) throws SQLException {
    for (String table : List.of("SIMPLE_TRIGGERS", "TRIGGERS")) {
      int unused =
          Database.update(
              connection,
              "DELETE FROM " + prefix + table + " WHERE " + triggerCondition(),
              scheduler,
              key.group(),
              key.name());
    }
  }

  private static String triggerCondition() {
    return "SCHED_NAME = ? AND TRIGGER_GROUP = ? AND TRIGGER_NAME = ?";
  }

  private static String jobCondition() {
    return "SCHED_NAME = ? AND JOB_GROUP = ? AND JOB_NAME = ?";
  }

  private @Nullable Row read(
      Connection connection, String table, String condition, String group, String name)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT * FROM " + prefix + table + " WHERE " + condition)) {
      statement.setString(1, scheduler);
      statement.setString(2, group);
      statement.setString(3, name);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() ? row(rows) : null;
      }
    }
  }

  private static Row row(ResultSet rows) throws SQLException {
    ResultSetMetaData columns = rows.getMetaData();
    Map<String, @Nullable Object> values = new TreeMap<>();
    Map<String, Integer> types = new TreeMap<>();
    for (int i = 1; i <= columns.getColumnCount(); i++) {
      String name = columns.getColumnName(i).toUpperCase(Locale.ROOT);
      int type = columns.getColumnType(i);
      values.put(name, BINARY.contains(type) ? rows.getBytes(i) : rows.getObject(i));
      types.put(name, BINARY.contains(type) ? Types.VARBINARY : type);
    }
    return new Row(values, types);
  }

  private void insert(Connection connection, String table, Row row) throws SQLException {
    List<String> columns = List.copyOf(row.values.keySet());
    String places = String.join(", ", columns.stream().map(column -> "?").toList());
    try (PreparedStatement statement =
        connection.prepareStatement(
            "INSERT INTO "
                + prefix
                + table
                + " ("
                + String.join(", ", columns)
                + ") VALUES ("
                + places
                + ")")) {
      for (int i = 0; i < columns.size(); i++) {
        Object value = row.values.get(columns.get(i));
        if (value == null) {
          statement.setNull(i + 1, row.types.getOrDefault(columns.get(i), Types.VARCHAR));
        } else {
          statement.setObject(i + 1, value);
        }
      }
      int unused = statement.executeUpdate();
    }
  }
}
