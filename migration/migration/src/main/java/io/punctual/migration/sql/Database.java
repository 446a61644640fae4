package io.punctual.migration.sql;

import io.punctual.PunctualException;
import io.punctual.StoreUnavailableException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The database of the old library. The {@code DataSource} of an application lends a connection for
 * each transaction. A connection to a URL stays open until {@link #close} or a failure, because
 * opening it takes longer than most transactions. Not thread-safe.
 */
final class Database implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Database.class);
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_$]+(\\.[A-Za-z0-9_$]+)?");

  /**
   * SQL states of lost connections, of a database without room for a connection or for data, and of
   * transactions that the database has ended.
   */
  private static final Pattern TEMPORARY = Pattern.compile("(08|40|53|57P).*");

  private static final int FETCHED_ROWS = 32;
  private static final long BATCH_BYTES = 8 << 20;

  private final DataSource source;
  private @Nullable Connection kept;

  /** The SQL states of failures that have counted as temporary already. */
  private final Set<String> excused = new HashSet<>();

  Database(DataSource source) {
    this.source = Objects.requireNonNull(source, "source");
  }

  @FunctionalInterface
  interface RowReader<R> {
    R read(ResultSet row) throws SQLException;
  }

  /** The statements of a transaction. */
  @FunctionalInterface
  interface Work<R> {
    R run(Connection connection) throws SQLException;
  }

  /**
   * Returns the name of a table, or a prefix of names.
   *
   * @throws IllegalArgumentException if it has characters that would need quotes in SQL
   */
  static String checkedName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "'" + name + "' is no name of a table; names have letters, digits and _");
    }
    return name;
  }

  /**
   * Runs a transaction. If the kept connection fails, the first failure with each SQL state counts
   * as temporary, because the connection may be outdated, for example after a restart of the
   * database or a change of the tables.
   *
   * @throws StoreUnavailableException if the failure is temporary
   * @throws PunctualException if the failure is not temporary
   */
  <R> R transaction(Work<R> work) {
    boolean isKept = kept != null;
    try {
      Connection connection = kept == null ? source.getConnection() : kept;
      kept = null;
      boolean succeeded = false;
      try {
        R result = transaction(connection, work);
        succeeded = true;
        return result;
      } finally {
        giveBack(connection, succeeded);
      }
    } catch (SQLException e) {
      throw translated(e, isKept && excused.add(String.valueOf(e.getSQLState())));
    }
  }

  private static <R> R transaction(Connection connection, Work<R> work) throws SQLException {
    boolean automatic = connection.getAutoCommit();
    connection.setAutoCommit(false);
    try {
      R result = work.run(connection);
      connection.commit();
      return result;
    } catch (SQLException | RuntimeException | Error e) {
      rollBack(connection, e);
      throw e;
    } finally {
      connection.setAutoCommit(automatic);
    }
  }

  private void giveBack(Connection connection, boolean succeeded) throws SQLException {
    if (!succeeded) {
      closeQuietly(connection);
    } else if (source instanceof UrlSource) {
      kept = connection;
    } else {
      connection.close();
    }
  }

  /** Closes a connection. Ignores a failure, so that it does not replace an earlier failure. */
  private static void closeQuietly(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      log.debug("A connection to the database of the old library can't be closed", e);
    }
  }

  /** Closes the connection; a later transaction opens it again. */
  @Override
  public void close() {
    if (kept != null) {
      closeQuietly(kept);
      kept = null;
    }
  }

  private static void rollBack(Connection connection, Throwable failure) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
  }

  private static PunctualException translated(SQLException e, boolean isExcused) {
    String state = String.valueOf(e.getSQLState());
    boolean temporary =
        isExcused
            || e instanceof SQLTransientException
            || e instanceof SQLRecoverableException
            || TEMPORARY.matcher(state).matches();
    String message = "The database of the old library failed: " + e.getMessage();
    return temporary
        ? new StoreUnavailableException(message, e)
        : new PunctualException(message, e);
  }

  /** Reads rows of any size. */
  <R> List<R> query(
      String sql, List<Object> arguments, long skipped, int max, RowReader<R> reader) {
    return query(sql, arguments, skipped, max, reader, row -> 0);
  }

  /**
   * Reads rows.
   *
   * @param skipped the number of rows to pass over
   * @param max the largest number of rows
   * @param size returns the size of a row in bytes; when the sum of the sizes is large, no further
   *     row is read
   */
  <R> List<R> query(
      String sql,
      List<Object> arguments,
      long skipped,
      int max,
      RowReader<R> reader,
      ToIntFunction<R> size) {
    return transaction(
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql)) {
            int most = Math.toIntExact(skipped + max);
            statement.setMaxRows(most);
            statement.setFetchSize(Math.min(FETCHED_ROWS, most));
            set(statement, arguments);
            try (ResultSet rows = statement.executeQuery()) {
              List<R> read = new ArrayList<>();
              long bytes = 0;
              for (long i = 0; bytes < BATCH_BYTES && rows.next(); i++) {
                if (i >= skipped) {
                  R row = reader.read(rows);
                  read.add(row);
                  bytes += size.applyAsInt(row);
                }
              }
              return read;
            }
          }
        });
  }

  /** Executes a query whose result is a number. */
  long count(String sql, Object... arguments) {
    return query(sql, List.of(arguments), 0, 1, row -> row.getLong(1)).get(0);
  }

  /** Executes a statement once for each item, and returns the items for which it changed a row. */
  <E> List<E> update(String sql, List<E> items, Function<E, List<Object>> arguments) {
    return transaction(
        connection -> {
          List<E> changed = new ArrayList<>();
          try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (E item : items) {
              set(statement, arguments.apply(item));
              if (statement.executeUpdate() > 0) {
                changed.add(item);
              }
            }
          }
          return changed;
        });
  }

  /** Executes a statement, and returns the number of changed rows. */
  static int update(Connection connection, String sql, Object... arguments) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      set(statement, List.of(arguments));
      return statement.executeUpdate();
    }
  }

  private static void set(PreparedStatement statement, List<Object> arguments) throws SQLException {
    for (int i = 0; i < arguments.size(); i++) {
      statement.setObject(i + 1, arguments.get(i));
    }
  }

  /** Returns the bytes of a column; empty for NULL. */
  static byte[] bytes(ResultSet row, int column) throws SQLException {
    byte @Nullable [] bytes = row.getBytes(column);
    return bytes == null ? new byte[0] : bytes;
  }
}
