package io.punctual.jdbc.sql;

import io.punctual.StoreRefusedException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Checks the version of the store's tables, and creates or migrates them. */
public final class Schema {
  /**
   * The scripts in the order of their versions. Each script migrates the tables from the previous
   * version to its own version.
   */
  private static final List<String> FILES =
      List.of(
          "V1__punctual.sql",
          "V2__limits.sql",
          "V3__pause_notes.sql",
          "V4__workers.sql",
          "V5__lease_holders.sql");

  private static final int VERSION = FILES.size();

  private Schema() {}

  /**
   * Checks the version of the tables, and creates or migrates them if {@code create} is true.
   *
   * @param connection a connection with autocommit
   * @param create whether to create missing tables, and to migrate old tables to this version
   * @throws StoreRefusedException if the tables are missing or have a different version
   * @throws SQLException if the database could not be queried
   */
  public static void prepare(Connection connection, Dialect dialect, boolean create)
      throws SQLException {
    Found found = find(connection);
    if (found.version < VERSION && create) {
      found = create(connection, dialect, found);
    }
    SQLException missing = found.missing;
    if (missing != null) {
      throw new StoreRefusedException(
          "The tables of Punctual can't be read: "
              + inOneLine(missing)
              + ". Run the files "
              + String.join(", ", FILES)
              + " in the folder io/punctual/jdbc/"
              + dialect.folder()
              + " of punctual-jdbc, for example with Flyway, or open the store with createTables",
          missing);
    }
    if (found.version != VERSION) {
      throw new StoreRefusedException(
          "The tables of Punctual have version "
              + found.version
              + ", but this release needs version "
              + VERSION
              + (found.version < VERSION
                  ? ": run "
                      + String.join(", ", after(found.version))
                      + " in the folder io/punctual/"
                      + "jdbc/"
                      + dialect.folder()
                      + " of punctual-jdbc, or open the store with createTables"
                  : ": use the release that belongs to the tables"),
          null);
    }
  }

  private static List<String> after(int version) {
    return FILES.subList(version, VERSION);
  }

  /**
   * The version of the tables.
   *
   * @param version the version, or 0 if the tables are missing
   * @param missing the failure of the query for the version, or of the scripts; null if there is
   *     none
   */
  private record Found(int version, @Nullable SQLException missing) {}

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

  /**
   * Runs the scripts that migrate the tables from the found version. If that fails because a second
   * client ran them at the same time, the tables of that client are used.
   */
  private static Found create(Connection connection, Dialect dialect, Found before)
      throws SQLException {
    try {
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        for (String file : after(before.version)) {
          for (String command : script(dialect, file).split(";\\s*\\n", -1)) {
            if (!command.isBlank()) {
              statement.execute(command);
            }
          }
        }
        connection.commit();
      } finally {
        connection.rollback();
        connection.setAutoCommit(true);
      }
    } catch (SQLException e) {
      Found after = find(connection);
      return after.version == VERSION ? after : new Found(before.version, e);
    }
    return find(connection);
  }

  private static String script(Dialect dialect, String file) {
    String name = "/io/punctual/jdbc/" + dialect.folder() + "/" + file;
    try (InputStream in = Schema.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("The resource " + name + " is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
