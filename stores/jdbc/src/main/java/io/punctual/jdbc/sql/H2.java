package io.punctual.jdbc.sql;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;

/**
 * H2. Its LIMIT also counts the rows that SKIP LOCKED omits, and it has no shared row locks.
 * Claims, and calls that schedule messages, therefore lock the row of the queue, and run one after
 * another.
 */
final class H2 extends Dialect {
  /** The codes of closed connections, of closed or broken files, and of general errors. */
  private static final Set<Integer> BROKEN =
      Set.of(90007, 90028, 90031, 90067, 90098, 90108, 90121, 50000);

  private static final String ADVICE =
      ". Settings of H2 can be the cause: MODE, IGNORECASE, COLLATION, ALLOW_LITERALS,"
          + " OLD_INFORMATION_SCHEMA";

  /** Whether the database has LIMIT, which some of its modes do not have. */
  private final boolean hasLimit;

  private H2(boolean hasLimit) {
    this.hasLimit = hasLimit;
  }

  /**
   * Reads the modes and options that decide about the statements of the store.
   *
   * @throws SQLException if H2 refuses all statements of the store
   */
  static H2 read(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      try {
        boolean unused =
            statement.execute(
                "SELECT EXECUTING_STATEMENT_START FROM INFORMATION_SCHEMA.SESSIONS WHERE 1 = 0");
      } catch (SQLException e) {
        throw new SQLException(e.getMessage() + ADVICE, "42000");
      }
      return new H2(hasLimit(statement));
    }
  }

  private static boolean hasLimit(Statement statement) {
    try {
      return statement.execute("SELECT 1 LIMIT 1");
    } catch (SQLException e) {
      return false;
    }
  }

  @Override
  public String advice() {
    return ADVICE;
  }

  @Override
  List<String> boundTableLocks(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("SELECT LOCK_TIMEOUT()")) {
      row.next();
      String restore = "SET LOCK_TIMEOUT " + row.getInt(1);
      statement.execute("SET LOCK_TIMEOUT 200");
      return List.of(restore);
    }
  }

  @Override
  List<String> blockers() {
    return List.of(
        "SELECT 'session ' || SESSION_ID || ' of user ' || USER_NAME || ', connected since '"
            + " || SESSION_START || ', its statement: ' || COALESCE(EXECUTING_STATEMENT, 'none')"
            + " FROM INFORMATION_SCHEMA.SESSIONS WHERE SESSION_ID <> SESSION_ID() AND SESSION_ID IN"
            + " (SELECT SESSION_ID FROM INFORMATION_SCHEMA.LOCKS WHERE UPPER(TABLE_NAME) LIKE"
            + " 'PUNCTUAL%') ORDER BY SESSION_START");
  }

  @Override
  Connection adapted(Connection connection) {
    return hasLimit ? connection : WithoutLimit.of(connection);
  }

  /**
   * H2 has modes and options that change the results of statements, or make them fail. A database
   * of its own is cheap to ask.
   */
  @Override
  public boolean needsRehearsal() {
    return true;
  }

  @Override
  String folder() {
    return "h2";
  }

  /**
   * The time at which the statement began. CURRENT_TIMESTAMP would be the start of the transaction.
   * The names of the table and its columns are in upper case, because a database can be configured
   * to keep the case of names.
   */
  @Override
  public String nowMicros() {
    return "DATEDIFF(MICROSECOND, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00',"
        + " (SELECT EXECUTING_STATEMENT_START FROM INFORMATION_SCHEMA.SESSIONS"
        + " WHERE SESSION_ID = SESSION_ID()))";
  }

  @Override
  public String keepQueue() {
    return " FOR UPDATE";
  }

  @Override
  public String claimQueue() {
    return " FOR UPDATE";
  }

  @Override
  public String lockCandidates() {
    return " FOR UPDATE";
  }

  /**
   * H2 uses the index for each of the two conditions, but neither for row values nor for OR. A
   * range after a time reads the messages of this time, too, so the range begins with the next
   * time.
   */
  @Override
  public List<After> after() {
    return List.of(
        new After("at_millis = ? AND id > ?", "ti"),
        new After("at_millis >= ? AND at_millis > ?", "nt"));
  }

  /** A statement usually waits for a lock for a second or more. */
  @Override
  public int refusalsOfOpenTransaction() {
    return 2;
  }

  @Override
  public String contentVersion() {
    return "ORA_HASH(content)";
  }

  /**
   * Only broken connections are replaced, because a database in memory ends with its last
   * connection. A general error is a fault of the file, for example after an interrupt.
   */
  @Override
  boolean mayBeOfConnection(SQLException failure) {
    return super.mayBeOfConnection(failure)
        && (failure instanceof SQLNonTransientConnectionException
            || BROKEN.contains(failure.getErrorCode()));
  }

  @Override
  SessionSettings session(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT DATABASE(), SCHEMA()")) {
      row.next();
      String place = "database " + row.getString(1) + ", schema " + row.getString(2);
      // Claims with limits get no lock from a lazy query. The setting changes no results of the
      // application.
      return new SessionSettings(
          place, false, List.of("SET LAZY_QUERY_EXECUTION 0"), List.of(), "");
    }
  }
}
