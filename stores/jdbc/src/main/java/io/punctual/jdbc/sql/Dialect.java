package io.punctual.jdbc.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** The differences between databases. Immutable, so safe for use by many threads. */
public abstract class Dialect {
  /**
   * The maximum size in bytes of a content with its history that a claim reads together with the
   * row.
   */
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
      case "postgresql" -> PostgreSql.read(connection);
      case "h2" -> H2.read(connection);
      case "mariadb", "mysql" -> MySql.read(connection);
      default ->
          throw new IllegalArgumentException(
              "The SQL store supports PostgreSQL, MariaDB, MySQL and H2, but the database is "
                  + product);
    };
  }

  /** The resource folder of the scripts that create and migrate the tables. */
  abstract String folder();

  /**
   * Sets a short time for which a script waits for the lock of a table.
   *
   * @return the statements that restore the earlier time
   */
  abstract List<String> boundTableLocks(Statement statement) throws SQLException;

  /**
   * The queries for the transaction that probably has locked the store's tables, as a text. The
   * first that finds something counts.
   */
  abstract List<String> blockers();

  /** The end of a message about statements that the database refuses. */
  public String advice() {
    return "";
  }

  /** The expression for the database's clock, in microseconds from 1970. */
  public abstract String nowMicros();

  /** The operator that divides integers and truncates. */
  public String quotient() {
    return "/";
  }

  /**
   * The clause that prevents the deletion of the selected queue until the end of the transaction;
   * used for example by calls that schedule messages.
   */
  public abstract String keepQueue();

  /**
   * The clause that locks the selected queue for a claim; empty if several claims of a queue can
   * run at the same time.
   */
  public abstract String claimQueue();

  /** The clause that locks the selected queue to pause or resume it, and waits for the lock. */
  public String changeQueue() {
    return " FOR UPDATE";
  }

  /**
   * The clause that locks the selected queue to pause or resume it. If a different transaction has
   * locked the queue, the statement fails immediately, except on H2, where it waits.
   */
  public String changeQueueAtOnce() {
    return changeQueue();
  }

  /**
   * The clause that locks the selected queue to delete it. If a different transaction has locked
   * the queue, the statement fails immediately, except on H2, where it waits.
   */
  public String deleteQueueAtOnce() {
    return " FOR UPDATE";
  }

  /** The clause that locks the candidates of a claim. */
  public abstract String lockCandidates();

  public String lockMessages() {
    return " FOR UPDATE";
  }

  /**
   * Returns whether INSERT and DELETE may wait for locks, because a short lock timeout applies to
   * them. If not, a call first locks its rows with {@link #lockMessages}.
   */
  public boolean boundsLockWaits() {
    return true;
  }

  /**
   * How often the database must refuse a lock to a call, while the message does not change, before
   * the call assumes that an open transaction has locked the message. A time alone is not enough:
   * in a process that pauses, the time passes without an attempt.
   */
  public int refusalsOfOpenTransaction() {
    return 3;
  }

  /** A number that changes, nearly always, when the content of a message changes. */
  public abstract String contentVersion();

  /**
   * The clause that makes a statement use the index by id, to be written after the name of the
   * table of messages; may be empty.
   */
  public String byId() {
    return "";
  }

  /** The start of a DELETE that uses the index by id. */
  public String deleteById() {
    return "DELETE FROM punctual_message";
  }

  /**
   * The clause that makes a statement use the index by time, to be written after the name of the
   * table of messages; may be empty.
   */
  public String byTime() {
    return "";
  }

  /**
   * The condition that selects the row of a queue's limits, to be written at the end of a query.
   * Each claim under a rate limit writes a new version of this row.
   *
   * @param queue the expression for the number of the queue
   */
  public String limitOf(String queue) {
    return "queue_id = " + queue;
  }

  /**
   * The condition of a change for the row of a queue's limits, which the transaction has locked.
   *
   * @param queue the number of the queue
   */
  public String lockedLimitOf(long queue) {
    return limitOf(Long.toString(queue));
  }

  /**
   * A part of the messages after a position in the order of times and ids.
   *
   * @param condition the condition for the messages of this part
   * @param parameters the parameters of the condition: {@code t} for the time of the position,
   *     {@code n} for the next time, {@code p} for the time before, and {@code i} for the id
   */
  public record After(String condition, String parameters) {
    /** Sets the parameters, and returns the index of the next parameter of the statement. */
    public int set(PreparedStatement statement, int index, long millis, byte[] id)
        throws SQLException {
      for (int i = 0; i < parameters.length(); i++) {
        switch (parameters.charAt(i)) {
          case 't' -> statement.setLong(index + i, millis);
          case 'n' -> statement.setLong(index + i, millis + (millis == Long.MAX_VALUE ? 0 : 1));
          case 'p' -> statement.setLong(index + i, millis - (millis == Long.MIN_VALUE ? 0 : 1));
          default -> statement.setBytes(index + i, id);
        }
      }
      return index + parameters.length();
    }

    /** Returns the messages before the position, for reading in the opposite order. */
    After opposite() {
      return new After(condition.replace('>', '<'), parameters.replace('n', 'p'));
    }
  }

  /**
   * The messages after a position, in parts that follow one another. The index by time must find
   * the beginning of each part, because all messages may have the same time.
   */
  public abstract List<After> after();

  /** The messages before a position, in parts that follow one another in the opposite order. */
  public final List<After> before() {
    return after().stream().map(After::opposite).toList();
  }

  /**
   * Returns whether a transaction of the application can lock the gaps between existing ids, as
   * REPEATABLE READ does on MariaDB and MySQL.
   */
  public boolean locksGaps() {
    return false;
  }

  /**
   * Returns whether the database rolled back the whole transaction at this failure. The next
   * statement then starts a new transaction without an error.
   */
  public boolean rollsBackAt(SQLException failure) {
    return SqlFailures.isDeadlock(failure);
  }

  /**
   * A comma and the additional SELECT expression that makes the transaction commit without waiting
   * for the disk, or empty if the database has none.
   */
  public String relaxedCommit() {
    return "";
  }

  /**
   * A comma and the additional SELECT expressions that make the rest of the transaction read tables
   * by their indexes, or empty if the database needs none.
   */
  public String usesIndexes() {
    return "";
  }

  /**
   * A comma and the additional SELECT expression that sets the lock timeout for the rest of the
   * transaction, or empty if the timeout of the connection or the database applies.
   */
  public String lockTimeout(int millis) {
    return "";
  }

  /**
   * A comma and the additional SELECT expressions for a look-up: it reads tables by their indexes,
   * and a statement that runs for too long fails, so that the next look-ups have their turn.
   */
  public String lookUp() {
    return usesIndexes();
  }

  /**
   * Reads what a session has set.
   *
   * @param connection a connection with autocommit
   */
  abstract SessionSettings session(Connection connection) throws SQLException;

  /**
   * Returns whether {@link SessionSettings#begin} sets the isolation of each transaction. Otherwise
   * the store sets the isolation of the session.
   */
  boolean setsIsolationOfTransactions() {
    return false;
  }

  /**
   * Returns whether a transaction may have failed because of its connection, so that a different
   * connection may succeed.
   */
  boolean mayBeOfConnection(SQLException failure) {
    return SqlFailures.mayBeOfConnection(failure);
  }

  /** Returns a connection that understands the statements of the store. */
  Connection adapted(Connection connection) {
    return connection;
  }

  /** Returns a text in a form that the database can store. */
  public String storedText(String text) {
    return text;
  }

  public String readText(String stored) {
    return stored;
  }

  /** Returns the literal of bytes that are given in hexadecimal. */
  String bytes(String hex) {
    return "X'" + hex + "'";
  }

  /** Returns whether the settings of the database can make the statements of the store useless. */
  public boolean needsRehearsal() {
    return false;
  }

  /** The end of an INSERT that makes it skip existing rows; empty if the INSERT fails instead. */
  public String unlessPresent() {
    return "";
  }

  /** Returns whether processes can notify each other through the database. */
  public boolean notifies() {
    return false;
  }

  /**
   * Returns whether INSERT and DELETE can return the ids of their rows, and statements can have
   * arrays as parameters.
   */
  public boolean returnsIds() {
    return false;
  }

  /** Returns whether INSERT can skip existing messages. */
  public boolean insertsAbsent() {
    return false;
  }

  /** The JDBC fetch size with which the driver reads a result in steps of about this many rows. */
  public int fetchRows(int rows) {
    return rows;
  }

  /**
   * The maximum number of bytes of contents in a statement, or {@link Long#MAX_VALUE} if there is
   * none.
   */
  public long statementBytes() {
    return Long.MAX_VALUE;
  }

  /** The condition that selects a message. The parameters are the queue and the id. */
  public String hasId() {
    return "queue_id = ? AND id = ?";
  }

  /**
   * The condition that selects the messages of {@code count} queues by an id. The parameters are
   * the queues and the id.
   */
  public String hasIdInQueues(int count) {
    return "queue_id" + in(count) + " AND id = ?";
  }

  /** The operator and the list of an IN with this many parameters. */
  public static String in(int count) {
    return " IN (" + String.join(", ", Collections.nCopies(count, "?")) + ")";
  }

  /**
   * The condition that selects messages of a queue by {@code count} ids. The parameters are the
   * queue and the {@linkplain #setIds ids}.
   */
  public String hasIds(int count) {
    return "queue_id = ? AND id" + in(padded(count));
  }

  /**
   * Sets the ids in the condition {@link #hasIds}.
   *
   * @param index the index of the first id's parameter
   */
  public void setIds(PreparedStatement statement, int index, List<byte[]> ids) throws SQLException {
    for (int i = 0; i < padded(ids.size()); i++) {
      statement.setBytes(index + i, ids.get(Math.min(i, ids.size() - 1)));
    }
  }

  /** Rounds up to a power of two, so that the database has few different statements to prepare. */
  private static int padded(int count) {
    return count <= 1 ? 1 : Integer.highestOneBit(count - 1) << 1;
  }
}
