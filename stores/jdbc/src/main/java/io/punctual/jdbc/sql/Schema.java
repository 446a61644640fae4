package io.punctual.jdbc.sql;

import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.internal.log.Logs;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Checks the version of the store's tables, and creates or migrates them. */
public final class Schema {
  private static final Logger log = Logs.of(Schema.class);
  private static final int VERSION = SchemaScripts.FILES.size();

  /** How long the scripts are repeated while other transactions have locked the tables. */
  private static final long LOCKED_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** The other clients work during this time. */
  private static final long LOCKED_PAUSE_MILLIS = 1_000;

  /**
   * How long the scripts are repeated after a different failure: a second client may be running
   * them, and its changes show step by step.
   */
  private static final long RACE_NANOS = TimeUnit.SECONDS.toNanos(3);

  private static final long RACE_PAUSE_MILLIS = 100;

  private Schema() {}

  /**
   * Checks the version of the tables, and creates or migrates them if {@code create} is true.
   *
   * @param connection a connection with autocommit
   * @param create whether to create missing tables, and to migrate old tables to this version
   * @throws StoreRefusedException if the tables are missing or have a different version
   * @throws StoreUnavailableException if other transactions kept the tables locked
   * @throws SQLException if the database could not be queried
   */
  public static void prepare(Connection connection, Dialect dialect, boolean create)
      throws SQLException {
    Found found = find(connection);
    boolean creates = found.version < VERSION && create;
    if (creates) {
      found = create(connection, dialect, found);
    }
    SQLException failure = found.failure;
    if (failure != null) {
      throw new StoreRefusedException(
          "The tables of Punctual can't be "
              + (creates ? "created: " : "read: ")
              + inOneLine(failure)
              + ". Run the files "
              + String.join(", ", SchemaScripts.after(creates ? found.version : 0))
              + folder(dialect)
              + (creates
                  ? " with a user that may create tables"
                  : ", for example with Flyway, or open the store with createTables")
              + dialect.advice(),
          failure);
    }
    if (found.version != VERSION) {
      throw new StoreRefusedException(
          "The tables of Punctual have version "
              + found.version
              + ", but this release needs version "
              + VERSION
              + (found.version < VERSION
                  ? ": run "
                      + String.join(", ", SchemaScripts.after(found.version))
                      + folder(dialect)
                      + ", or open the store with createTables"
                  : ": use the release that belongs to the tables"),
          null);
    }
  }

  private static String folder(Dialect dialect) {
    return " in the folder io/punctual/jdbc/" + dialect.folder() + " of punctual-jdbc";
  }

  /**
   * The version of the tables.
   *
   * @param version the version, or 0 if the tables are missing
   * @param failure the failure of the query for the version, or of the scripts; null if there is
   *     none
   */
  private record Found(int version, @Nullable SQLException failure) {}

  /**
   * Joins the lines of a failure's message, because the driver of PostgreSQL adds lines to the
   * server's message.
   */
  private static String inOneLine(SQLException failure) {
    return String.valueOf(failure.getMessage()).replaceAll("\\s*\\R\\s*", " ");
  }

  private static Found find(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT max(version) FROM punctual_schema")) {
      row.next();
      int version = row.getInt(1);
      return new Found(
          version,
          row.wasNull()
              ? new SQLException("punctual_schema has no row, so its script was interrupted")
              : null);
    } catch (SQLException e) {
      if (!SqlFailures.isRefusal(e)) {
        throw e;
      }
      return new Found(0, e);
    }
  }

  /** Looks after a failure of the scripts, which a failure of this query must not hide. */
  private static Found find(Connection connection, SQLException failure) throws SQLException {
    try {
      return find(connection);
    } catch (SQLException e) {
      failure.addSuppressed(e);
      throw failure;
    }
  }

  /**
   * Runs the scripts that migrate the tables from the found version, and repeats them after a
   * failure, until they succeed or a different client has done so.
   */
  private static Found create(Connection connection, Dialect dialect, Found before)
      throws SQLException {
    long began = System.nanoTime();
    int version = before.version;
    boolean isReported = false;
    while (true) {
      try {
        SchemaScripts.run(connection, dialect, version);
        return find(connection);
      } catch (SQLException e) {
        boolean isLocked = SqlFailures.isConflict(e) && !SqlFailures.isDuplicate(e);
        String blocker = isLocked ? blocker(connection, dialect) : "";
        Found now = find(connection, e);
        if (now.version == VERSION) {
          return now;
        }
        version = now.version;
        boolean mayRepeat = System.nanoTime() - began < (isLocked ? LOCKED_NANOS : RACE_NANOS);
        if (!mayRepeat && isLocked) {
          throw new StoreUnavailableException(
              "The tables of Punctual were not upgraded, because other transactions kept them"
                  + " locked for 30 seconds"
                  + blocker
                  + ". End that transaction, or open the store again when it has ended",
              e);
        } else if (!mayRepeat) {
          return new Found(version, e);
        }
        if (isLocked && !isReported) {
          isReported = true;
          log.warn("The upgrade of the tables waits for a transaction{}", blocker);
        }
        pause(isLocked ? LOCKED_PAUSE_MILLIS : RACE_PAUSE_MILLIS);
      }
    }
  }

  /** Returns what the database tells about the transaction that has locked the tables. */
  private static String blocker(Connection connection, Dialect dialect) {
    for (String query : dialect.blockers()) {
      try (Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery(query)) {
        if (row.next()) {
          return ": " + row.getString(1);
        }
      } catch (SQLException e) {
        log.debug("The user of the store may not see the transactions of others", e);
      }
    }
    return "";
  }

  private static void pause(long millis) throws SQLException {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLException("The thread was interrupted while it created the tables", e);
    }
  }
}
