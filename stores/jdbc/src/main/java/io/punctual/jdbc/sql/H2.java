package io.punctual.jdbc.sql;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * H2. Its LIMIT also counts the rows that SKIP LOCKED omits, and it has no shared row locks.
 * Claims, and calls that schedule messages, therefore lock the row of the queue, and run one after
 * another.
 */
final class H2 extends Dialect {
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

  /** A statement usually waits for a lock for a second or more. */
  @Override
  public int refusalsOfOpenTransaction() {
    return 2;
  }

  @Override
  public String contentVersion() {
    return "ORA_HASH(content)";
  }

  @Override
  SessionSettings session(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT DATABASE(), SCHEMA()")) {
      row.next();
      String place = "database " + row.getString(1) + ", schema " + row.getString(2);
      return new SessionSettings(place, false, List.of(), List.of(), "");
    }
  }
}
