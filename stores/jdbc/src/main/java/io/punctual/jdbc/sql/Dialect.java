package io.punctual.jdbc.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** The differences between databases. Immutable, so safe for use by many threads. */
public abstract class Dialect {
  /** The largest size of content and history that a claim reads together with the row. */
  public static final int SMALL_BYTES = 16_384;

  Dialect() {}

  /**
   * Returns the dialect of a database.
   *
   * @throws IllegalArgumentException if the store does not support the database
   */
  public static Dialect of(Connection connection) throws SQLException {
    String product = connection.getMetaData().getDatabaseProductName();
    return switch (product.toLowerCase(Locale.ROOT)) {
      case "postgresql" -> new PostgreSql();
      case "h2" -> new H2();
      case "mariadb", "mysql" -> MySql.read(connection);
      default ->
          throw new IllegalArgumentException(
              "The SQL store supports PostgreSQL, MariaDB, MySQL and H2, but the database is "
                  + product);
    };
  }

  /** The resource folder of the schema. */
  abstract String folder();

  /** The expression for the database's clock, in microseconds from 1970. */
  public abstract String nowMicros();

  /** The operator that divides whole numbers. */
  public String quotient() {
    return "/";
  }

  /** The clause that keeps the selected queue from being deleted, for calls with schedules. */
  public abstract String keepQueue();

  /** The clause that locks the selected queue for a claim; empty if claims run side by side. */
  public abstract String claimQueue();

  /** The clause that locks the selected queue for a change of its pause. */
  public String changeQueue() {
    return " FOR UPDATE";
  }

  /** As {@link #changeQueue}, but fails if a different transaction has locked the queue. */
  public String changeQueueAtOnce() {
    return changeQueue();
  }

  /** The clause that locks the selected queue for its deletion, or fails. */
  public String deleteQueueAtOnce() {
    return " FOR UPDATE";
  }

  /** The clause that locks the candidates of a claim. */
  public abstract String lockCandidates();

  /** The clause that locks the messages of a call. */
  public String lockMessages() {
    return " FOR UPDATE";
  }

  /** Returns whether all waits for locks have a bound, also the waits of INSERT and DELETE. */
  public boolean boundsLockWaits() {
    return true;
  }

  /** The clause behind the table of messages that makes a statement find them by their ids. */
  public String byId() {
    return "";
  }

  /** The start of a DELETE that finds messages by their ids. */
  public String deleteById() {
    return "DELETE FROM punctual_message";
  }

  /** The clause behind the table of messages that makes a statement find them by their times. */
  public String byTime() {
    return "";
  }

  /** Returns whether a transaction of the application can lock the places of absent ids. */
  public boolean locksGaps() {
    return false;
  }

  /**
   * Returns whether a lock time-out rolls back the whole transaction, with its savepoints. If not,
   * it rolls back the statement, or ends the transaction up to the last savepoint.
   */
  public boolean rollsBackAtLockTimeout() {
    return false;
  }

  /**
   * Returns whether the database has rolled back the whole transaction at a failure, so that the
   * next statement starts a new transaction without an error.
   */
  public boolean rollsBackAt(SQLException failure) {
    return SqlFailures.isDeadlock(failure)
        || (rollsBackAtLockTimeout() && SqlFailures.isLockTimeout(failure));
  }

  /** Returns whether a transaction goes on after a failed statement, without its effect. */
  public boolean goesOnAfterFailure() {
    return true;
  }

  /** The additional expression that lets a claim commit without waiting for the disk, or empty. */
  public String relaxedCommit() {
    return "";
  }

  /**
   * The additional expression that bounds the waits for locks in the rest of the transaction, or
   * empty if the database's own bound applies.
   */
  public String lockTimeout(int millis) {
    return "";
  }

  /**
   * The statement that gives the transaction the isolation READ COMMITTED, or empty if only the
   * whole connection has an isolation.
   */
  public String readCommitted() {
    return "";
  }

  /** The end of an INSERT that has no effect on rows which exist; empty if it fails instead. */
  public String unlessPresent() {
    return "";
  }

  /** Returns whether processes can notify each other through the database. */
  public boolean notifies() {
    return false;
  }

  /** Returns whether INSERT and DELETE can return the ids of their rows, and arrays exist. */
  public boolean returnsIds() {
    return false;
  }

  /** Returns whether INSERT can leave out the messages that exist. */
  public boolean insertsAbsent() {
    return false;
  }

  /** The fetch size that reads a result in steps of about this many rows. */
  public int fetchRows(int rows) {
    return rows;
  }

  /** The largest number of bytes of contents in a statement, or {@link Long#MAX_VALUE}. */
  public long statementBytes() {
    return Long.MAX_VALUE;
  }

  /** The query for the bound of lock waits in seconds, or empty if each transaction sets it. */
  String readLockWait() {
    return "";
  }

  /** The statement that bounds the lock waits of a connection. */
  String changeLockWait(long seconds) {
    throw new UnsupportedOperationException();
  }

  /** Returns the condition that the id is among {@code count} ids. */
  public String idIn(int count) {
    return "id IN (" + String.join(", ", Collections.nCopies(padded(count), "?")) + ")";
  }

  /**
   * Sets the parameters of {@link #idIn}.
   *
   * @param index the index of the first parameter
   */
  public void setIds(PreparedStatement statement, int index, List<byte[]> ids) throws SQLException {
    for (int i = 0; i < padded(ids.size()); i++) {
      statement.setBytes(index + i, ids.get(Math.min(i, ids.size() - 1)));
    }
  }

  /** The next power of two, so that few different statements exist. */
  private static int padded(int count) {
    return count <= 1 ? 1 : Integer.highestOneBit(count - 1) << 1;
  }
}
