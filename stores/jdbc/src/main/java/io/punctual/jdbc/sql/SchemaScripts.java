package io.punctual.jdbc.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The scripts of a database that create and migrate the tables. For a single thread. */
final class SchemaScripts {
  /**
   * The scripts in the order of their versions. Each script migrates the tables from the previous
   * version to its own version.
   */
  static final List<String> FILES =
      List.of(
          "V1__punctual.sql",
          "V2__limits.sql",
          "V3__pause_notes.sql",
          "V4__workers.sql",
          "V5__lease_holders.sql");

  private SchemaScripts() {}

  /** Returns the files that tables of this version miss. */
  static List<String> after(int version) {
    return FILES.subList(version, FILES.size());
  }

  /**
   * Runs the scripts that tables of this version miss, in a transaction where the database can. A
   * statement waits for locks for a short time only: meanwhile the statements of other clients wait
   * behind it.
   *
   * @param connection a connection with autocommit
   */
  static void run(Connection connection, Dialect dialect, int version) throws SQLException {
    List<String> commands = new ArrayList<>();
    for (String file : after(version)) {
      commands.addAll(List.of(script(dialect, file).split(";\\s*\\n", -1)));
    }
    commands.removeIf(String::isBlank);
    connection.setAutoCommit(false);
    try (CleanUp autoCommit = () -> connection.setAutoCommit(true);
        Statement statement = connection.createStatement()) {
      List<String> restore = dialect.boundTableLocks(statement);
      try (CleanUp locksRestored = () -> execute(statement, restore);
          CleanUp rolledBack = connection::rollback) { // without effect after the commit
        execute(statement, commands);
        connection.commit();
      }
    }
  }

  private static void execute(Statement statement, List<String> commands) throws SQLException {
    for (String command : commands) {
      statement.execute(command);
    }
  }

  private static String script(Dialect dialect, String file) {
    String name = "/io/punctual/jdbc/" + dialect.folder() + "/" + file;
    try (InputStream in = SchemaScripts.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("The resource " + name + " is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
