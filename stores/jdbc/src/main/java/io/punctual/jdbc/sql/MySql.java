package io.punctual.jdbc.sql;

import io.punctual.StoreRefusedException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * MariaDB and MySQL. Most statements that lock messages name their index: without it, an ORDER BY
 * would lock all candidates of a claim, and a large list of ids can make the optimizer scan the
 * whole queue. The lock timeout can only be set in seconds, so calls use NOWAIT and are repeated.
 */
final class MySql extends Dialect {
  /**
   * The bytes of a statement that are reserved for its text and for all columns except the content.
   */
  private static final int STATEMENT_BYTES = 16_384;

  private static final long LOCK_SECONDS = 1;
  private static final String NOWAIT = " FOR UPDATE NOWAIT";

  /** Some MariaDB servers report the version 5.5.5 of MySQL in front of their own version. */
  private static final Pattern VERSION = Pattern.compile("(?:5\\.5\\.5-)?(\\d+)\\.(\\d+)\\..*");

  private final long maxPacket;
  private final boolean streams;
  private final boolean isMariaDb;

  private MySql(long maxPacket, boolean streams, boolean isMariaDb) {
    this.isMariaDb = isMariaDb;
    this.maxPacket = maxPacket;
    this.streams = streams;
  }

  /**
   * Reads the version and the limits of a server.
   *
   * @throws IllegalArgumentException if the server can't skip locked rows
   * @throws StoreRefusedException if a lock time-out rolls back whole transactions
   */
  static MySql read(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT VERSION(), @@max_allowed_packet, @@innodb_rollback_on_timeout")) {
      row.next();
      String version = row.getString(1);
      requireVersion(version);
      // The driver of MySQL reads the whole result into memory, except with the fetch size
      // MIN_VALUE.
      boolean streams = connection.getMetaData().getDriverName().startsWith("MySQL");
      if (row.getBoolean(3)) {
        throw new StoreRefusedException(
            "The database has innodb_rollback_on_timeout=ON, so that a lock time-out rolls back the"
                + " whole transaction; set the option to OFF, its default, and restart the"
                + " database",
            null);
      }
      return new MySql(row.getLong(2), streams, isMariaDb(version));
    }
  }

  private static boolean isMariaDb(String version) {
    return version.contains("MariaDB");
  }

  static void requireVersion(String version) {
    Matcher parts = VERSION.matcher(version);
    if (parts.matches()) {
      int number = 1000 * Integer.parseInt(parts.group(1)) + Integer.parseInt(parts.group(2));
      if (number >= (isMariaDb(version) ? 10_006 : 8_000)) {
        return;
      }
    }
    throw new IllegalArgumentException(
        "The SQL store needs MariaDB 10.6 or MySQL 8.0, or later, because earlier versions can't"
            + " skip locked rows, but the database is "
            + version);
  }

  @Override
  String folder() {
    return "mysql";
  }

  @Override
  List<String> boundTableLocks(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("SELECT @@lock_wait_timeout")) {
      row.next();
      String restore = "SET SESSION lock_wait_timeout = " + row.getLong(1);
      statement.execute("SET SESSION lock_wait_timeout = " + LOCK_SECONDS);
      return List.of(restore);
    }
  }

  /** The first query finds nothing where the performance schema does not watch these locks. */
  @Override
  List<String> blockers() {
    String text =
        "SELECT CONCAT('process ', p.id, ' of user ', p.user, ' (', p.host, '), ', p.command,"
            + " ' for ', p.time, ' s, its statement: ', COALESCE(LEFT(p.info, 200), 'none')";
    String others = " WHERE p.id <> CONNECTION_ID()";
    return List.of(
        text
            + ") FROM performance_schema.metadata_locks l JOIN performance_schema.threads t"
            + " ON t.thread_id = l.owner_thread_id JOIN information_schema.processlist p"
            + " ON p.id = t.processlist_id"
            + others
            + " AND l.object_schema = DATABASE() AND l.object_name LIKE 'punctual%'"
            + " AND l.lock_status = 'GRANTED' ORDER BY p.time DESC LIMIT 1",
        text
            + ", ', its transaction began at ', t.trx_started)"
            + " FROM information_schema.innodb_trx t JOIN information_schema.processlist p"
            + " ON p.id = t.trx_mysql_thread_id"
            + others
            + " ORDER BY p.db = DATABASE() DESC, t.trx_started LIMIT 1");
  }

  /**
   * The time at which the statement began. UTC_TIMESTAMP does not repeat an hour at the end of
   * daylight saving time.
   */
  @Override
  public String nowMicros() {
    return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";
  }

  @Override
  public String quotient() {
    return "DIV";
  }

  @Override
  public String keepQueue() {
    return " LOCK IN SHARE MODE";
  }

  @Override
  public String changeQueueAtOnce() {
    return NOWAIT;
  }

  @Override
  public String deleteQueueAtOnce() {
    return NOWAIT;
  }

  @Override
  public String claimQueue() {
    return "";
  }

  @Override
  public String lockCandidates() {
    return " FOR UPDATE SKIP LOCKED";
  }

  @Override
  public String lockMessages() {
    return NOWAIT;
  }

  @Override
  public boolean boundsLockWaits() {
    return false;
  }

  /** Statements with NOWAIT are refused every few milliseconds. */
  @Override
  public int refusalsOfOpenTransaction() {
    return 10;
  }

  @Override
  public String contentVersion() {
    return "CRC32(content)";
  }

  @Override
  public String byId() {
    return " FORCE INDEX (PRIMARY)";
  }

  /** The syntax of a DELETE from several tables, because only that DELETE can name an index. */
  @Override
  public String deleteById() {
    return "DELETE punctual_message FROM punctual_message" + byId();
  }

  @Override
  public String byTime() {
    return " FORCE INDEX (punctual_message_at)";
  }

  /** The optimizer makes two ranges of the index from this condition, but none from row values. */
  @Override
  public List<After> after() {
    return List.of(new After("(at_millis > ? OR (at_millis = ? AND id > ?))", "tti"));
  }

  /** At REPEATABLE READ, a lock on an absent id keeps other transactions from inserting near it. */
  @Override
  public boolean locksGaps() {
    return true;
  }

  @Override
  public boolean rollsBackAt(SQLException failure) {
    return super.rollsBackAt(failure) || SqlFailures.isChangedSinceSnapshot(failure);
  }

  @Override
  public boolean insertsAbsent() {
    return true;
  }

  @Override
  public int fetchRows(int rows) {
    return streams ? Integer.MIN_VALUE : rows;
  }

  @Override
  public long statementBytes() {
    return maxPacket - STATEMENT_BYTES;
  }

  /** The session waits a second for a lock, the shortest time that the database allows. */
  @Override
  SessionSettings session(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT DATABASE(), @@innodb_lock_wait_timeout, @@sql_safe_updates, "
                    + (isMariaDb ? "@@tx_read_only" : "@@transaction_read_only"))) {
      row.next();
      long lockSeconds = row.getLong(2);
      int safeUpdates = row.getInt(3);
      boolean isRight = lockSeconds <= LOCK_SECONDS && safeUpdates == 0;
      return new SessionSettings(
          "database " + row.getString(1),
          row.getBoolean(4),
          isRight ? List.of() : List.of(set(Math.min(LOCK_SECONDS, lockSeconds), 0)),
          isRight ? List.of() : List.of(set(lockSeconds, safeUpdates)),
          "");
    }
  }

  private static String set(long lockSeconds, int safeUpdates) {
    return "SET SESSION innodb_lock_wait_timeout = "
        + lockSeconds
        + ", SESSION sql_safe_updates = "
        + safeUpdates;
  }
}
