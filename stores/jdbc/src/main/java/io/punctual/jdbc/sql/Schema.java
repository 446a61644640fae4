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
import org.jspecify.annotations.Nullable;

/** Checks the version of the store's tables, and creates missing tables. */
public final class Schema {
  private static final int VERSION = 1;
  private static final String FILE = "V1__punctual.sql";

  private Schema() {}

  /**
   * Checks the version of the tables, and creates missing tables if {@code create} is true.
   *
   * @param connection a connection with autocommit
   * @param create whether to create missing tables
   * @throws StoreRefusedException if the tables are missing or have a different version
   * @throws SQLException if the database could not be queried
   */
  public static void prepare(Connection connection, Dialect dialect, boolean create)
      throws SQLException {
    SQLException missing = check(connection);
    if (missing != null && create) {
      missing = create(connection, dialect);
    }
    if (missing != null) {
      throw new StoreRefusedException(
          "The tables of Punctual can't be read: "
              + inOneLine(missing)
              + ". Run the file io/punctual/jdbc/"
              + dialect.folder()
              + "/"
              + FILE
              + " of punctual-jdbc, for example with Flyway, or open the store with createTables",
          missing);
    }
  }

  /** The driver of PostgreSQL adds lines to the message of the server. */
  private static String inOneLine(SQLException failure) {
    return String.valueOf(failure.getMessage()).replaceAll("\\s*\\R\\s*", " ");
  }

  /**
   * Checks the version of the tables. Returns the failure if the version can't be read or is
   * missing, or null if the version is right.
   */
  private static @Nullable SQLException check(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT max(version) FROM punctual_schema")) {
      row.next();
      int version = row.getInt(1);
      if (row.wasNull()) {
        return new SQLException("punctual_schema has no row, so its script was interrupted");
      }
      if (version != VERSION) {
        throw new StoreRefusedException(
            "The tables of Punctual have version "
                + version
                + ", but this release needs version "
                + VERSION
                + ": run the missing migrations, or use the release that belongs to the tables",
            null);
      }
      return null;
    } catch (SQLException e) {
      if (!SqlFailures.isRefusal(e)) {
        throw e;
      }
      return e;
    }
  }

  /**
   * Creates the tables. If that fails because a second client created the tables at the same time,
   * the tables of that client are used. Returns the failure, or null.
   */
  private static @Nullable SQLException create(Connection connection, Dialect dialect)
      throws SQLException {
    try {
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        for (String command : script(dialect).split(";\\s*\\n", -1)) {
          if (!command.isBlank()) {
            statement.execute(command);
          }
        }
        connection.commit();
      } finally {
        connection.rollback();
        connection.setAutoCommit(true);
      }
    } catch (SQLException e) {
      return check(connection) == null ? null : e;
    }
    return check(connection);
  }

  private static String script(Dialect dialect) {
    String name = "/io/punctual/jdbc/" + dialect.folder() + "/" + FILE;
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
