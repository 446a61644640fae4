package io.punctual.jdbc.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;

final class PostgreSql extends Dialect {
  /** The time-out of statements is read in milliseconds. */
  private static final String SESSION =
      "SELECT current_database(), (SELECT n.nspname FROM pg_class t JOIN pg_namespace n"
          + " ON n.oid = t.relnamespace WHERE t.oid = to_regclass('punctual_message')),"
          + " current_setting('transaction_read_only') = 'on',"
          + " current_setting('default_transaction_isolation'),"
          + " extract(epoch FROM current_setting('statement_timeout')::interval) * 1000";

  /** Encodings in which the database stores each text, as it is. */
  private static final Set<String> ALL_CHARACTERS = Set.of("UTF8", "SQL_ASCII");

  private final boolean hasAllCharacters;

  private PostgreSql(boolean hasAllCharacters) {
    this.hasAllCharacters = hasAllCharacters;
  }

  static PostgreSql read(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT current_setting('server_encoding')")) {
      row.next();
      return new PostgreSql(ALL_CHARACTERS.contains(row.getString(1)));
    }
  }

  @Override
  public String storedText(String text) {
    return hasAllCharacters ? text : AsciiText.encode(text);
  }

  @Override
  public String readText(String stored) {
    return hasAllCharacters ? stored : AsciiText.decode(stored);
  }

  @Override
  String folder() {
    return "postgresql";
  }

  @Override
  List<String> boundTableLocks(Statement statement) throws SQLException {
    statement.execute("SET LOCAL lock_timeout = 200; SET LOCAL statement_timeout = 0");
    return List.of();
  }

  @Override
  List<String> blockers() {
    return List.of(
        "SELECT concat('process ', a.pid, ' of user ', a.usename, ' (', a.application_name, ', ',"
            + " a.client_addr, '), ', a.state, ' since ', a.xact_start, ', its last statement: ',"
            + " left(a.query, 200)) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid"
            + " JOIN pg_class t ON t.oid = l.relation AND t.relname LIKE 'punctual%'"
            + " WHERE l.granted AND a.pid <> pg_backend_pid() AND a.datname = current_database()"
            + " ORDER BY a.xact_start LIMIT 1");
  }

  /**
   * The time at which the statement began. The other clocks of PostgreSQL either change within a
   * statement or stand still during a transaction.
   */
  @Override
  public String nowMicros() {
    return "(extract(epoch FROM statement_timestamp()) * 1000000)::bigint";
  }

  @Override
  public String keepQueue() {
    return " FOR KEY SHARE";
  }

  /**
   * Schedules lock only the key of the row. A pause does not change the key, so it need not wait
   * for them.
   */
  @Override
  public String changeQueue() {
    return " FOR NO KEY UPDATE";
  }

  @Override
  public String changeQueueAtOnce() {
    return changeQueue() + " NOWAIT";
  }

  @Override
  public String deleteQueueAtOnce() {
    return " FOR UPDATE NOWAIT";
  }

  @Override
  public String claimQueue() {
    return "";
  }

  @Override
  public String lockCandidates() {
    return " FOR UPDATE SKIP LOCKED";
  }

  /**
   * After a failed statement, PostgreSQL refuses further statements until the application rolls
   * back the transaction, as a whole or to a savepoint.
   */
  @Override
  public boolean rollsBackAt(SQLException failure) {
    return false;
  }

  /**
   * Claims need not wait for the disk, except at-most-once claims: if a crash loses a claim, its
   * messages can be claimed again.
   */
  @Override
  public String relaxedCommit() {
    return ", set_config('synchronous_commit', 'off', true)";
  }

  /**
   * The table grows from empty to millions of rows and back within minutes, so statistics and
   * prepared plans can be out of date. Claims and calls can read their rows in the order of an
   * index, so a plan that sorts reads too many rows. If a plan still has to sort, the planner
   * assigns a high cost to it. The just-in-time compiler is off, because high costs would start it.
   */
  @Override
  public String usesIndexes() {
    return ", set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off',"
        + " true), set_config('enable_sort', 'off', true), set_config('jit', 'off', true)";
  }

  /** A blocking call waits for 5 seconds by default; a statement gets twice that time. */
  @Override
  public String lookUp() {
    return usesIndexes() + ", set_config('statement_timeout', '10s', true)";
  }

  @Override
  public String lockTimeout(int millis) {
    return ", set_config('lock_timeout', '" + millis + "ms', true)";
  }

  /**
   * Changes the settings of single transactions only. A setting of the session would affect other
   * clients of a pooler.
   */
  @Override
  SessionSettings session(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(SESSION)) {
      row.next();
      boolean isReadCommitted = row.getString(4).equals("read committed");
      long timeout = row.getLong(5);
      return new SessionSettings(
          row.getString(2) == null
              ? ""
              : "database " + row.getString(1) + ", schema " + row.getString(2),
          row.getBoolean(3),
          List.of(),
          List.of(),
          (isReadCommitted ? "" : "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; ")
              + (timeout > 0 && timeout < ConnectionSettings.TIMEOUT_MILLIS
                  ? "SET LOCAL statement_timeout = " + ConnectionSettings.TIMEOUT_MILLIS
                  : ""));
    }
  }

  @Override
  String bytes(String hex) {
    return "decode('" + hex + "', 'hex')";
  }

  @Override
  boolean setsIsolationOfTransactions() {
    return true;
  }

  @Override
  public String unlessPresent() {
    return " ON CONFLICT DO NOTHING";
  }

  @Override
  public boolean notifies() {
    return true;
  }

  @Override
  public boolean returnsIds() {
    return true;
  }

  @Override
  public boolean insertsAbsent() {
    return true;
  }

  /**
   * The term {@code queue_id + 0} keeps PostgreSQL from using the index by time. If its statistics
   * are from a time when the queue was empty, it would otherwise choose that index, and read all
   * messages of the queue.
   */
  @Override
  public String hasId() {
    return "queue_id + 0 = ? AND id = ?";
  }

  @Override
  public String hasIdInQueues(int count) {
    return "queue_id + 0" + in(count) + " AND id = ?";
  }

  @Override
  public String hasIds(int count) {
    return "queue_id + 0 = ? AND id = ANY(?::bytea[])";
  }

  @Override
  public void setIds(PreparedStatement statement, int index, List<byte[]> ids) throws SQLException {
    statement.setArray(
        index, statement.getConnection().createArrayOf("bytea", ids.toArray(byte[][]::new)));
  }

  /**
   * The index has the versions of a row in the order of their places, so the newest is found first
   * from the end. While an old snapshot is open, a query with an equals sign reads all of them.
   */
  @Override
  public String limitOf(String queue) {
    return "queue_id BETWEEN " + queue + " AND " + queue + " ORDER BY queue_id DESC LIMIT 1";
  }

  @Override
  public String lockedLimitOf(long queue) {
    return "ctid = (SELECT ctid FROM punctual_limit WHERE " + super.lockedLimitOf(queue) + ")";
  }

  @Override
  public List<After> after() {
    return List.of(new After("(at_millis, id) > (?, ?)", "ti"));
  }

  /** The transaction that stored the row as it is. */
  @Override
  public String contentVersion() {
    return "xmin::text::bigint";
  }
}
