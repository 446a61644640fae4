package io.punctual.jdbc.sql;

import io.punctual.internal.log.Logs;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The data source of the store, which lends connections. A connection that can't change the store's
 * tables, although a new connection might, is discarded: for example a connection to a server that
 * is not the primary any more, or with a different schema. Safe for use by many threads.
 */
public final class Lender {
  private static final Logger log = Logs.of(Lender.class);

  /** How many connections are discarded in a row, before the next is taken as it is. */
  private static final int MAX_DISCARDED = 3;

  private final DataSource source;
  private final Dialect dialect;
  private final String place;
  private final Optional<PoolView> pool;

  private Lender(DataSource source, Dialect dialect, String place) {
    this.source = source;
    this.dialect = dialect;
    this.place = place;
    pool = PoolView.of(source);
  }

  /**
   * Creates the lender of a store.
   *
   * @param connection a connection of the source that sees the tables of the store
   */
  public static Lender of(DataSource source, Connection connection, Dialect dialect)
      throws SQLException {
    return new Lender(source, dialect, dialect.session(connection).place());
  }

  /** Returns whether both lend connections of the same pool to the same tables. */
  boolean lendsTheSame(Lender other) {
    boolean isSamePool =
        (pool.isPresent() && other.pool.isPresent())
            ? pool.get().pool() == other.pool.get().pool()
            : source == other.source;
    return isSamePool
        && place.equals(other.place)
        && dialect.getClass().equals(other.dialect.getClass());
  }

  /** Waits for a connection as long as the data source does. */
  BorrowedConnection borrow() throws SQLException {
    for (int discarded = 0; ; discarded++) {
      Connection connection = source.getConnection();
      BorrowedConnection borrowed = prepared(connection);
      boolean isLast = discarded == MAX_DISCARDED;
      if (!borrowed.place().equals(place)) {
        discard(connection);
        if (isLast) {
          throw otherPlace(borrowed.place());
        }
      } else if (!borrowed.isReadOnly() || isLast) {
        return borrowed;
      } else {
        log.debug("A connection is read-only, and is replaced");
        discard(connection);
      }
    }
  }

  private BorrowedConnection prepared(Connection connection) throws SQLException {
    boolean isPrepared = false;
    try {
      BorrowedConnection borrowed = BorrowedConnection.of(connection, dialect);
      isPrepared = true;
      return borrowed;
    } finally {
      if (!isPrepared) {
        discard(connection);
      }
    }
  }

  private SQLException otherPlace(String found) {
    return new SQLException(
        "The data source connects to "
            + (found.isEmpty() ? "a schema without the tables of Punctual" : found)
            + ", but the tables of this store are in "
            + place
            + ". A store needs a data source that always connects to the same database and schema:"
            + " behind a routing data source, give a store to each of its targets");
  }

  /** Waits for a connection as long as the data source does, and does not change it. */
  Connection borrowUnchanged() throws SQLException {
    return source.getConnection();
  }

  /** Returns a connection to the data source. */
  void giveBack(BorrowedConnection borrowed) {
    try {
      borrowed.restore();
      borrowed.connection().close();
    } catch (SQLException | RuntimeException | Error e) { // the others must be returned, too
      log.debug("A connection could not be reset, and is replaced", e);
      discard(borrowed.connection());
    }
  }

  /** Closes a connection, so that a pool does not lend it again. */
  void discard(Connection connection) {
    try (connection) {
      if (pool.isEmpty() || !pool.get().evict(connection)) {
        connection.abort(Runnable::run);
      }
    } catch (SQLException | RuntimeException | Error e) { // for example no memory for a thread
      log.debug("A broken connection could not be closed", e);
    }
  }

  /** Returns whether a transaction may have failed because of its connection. */
  boolean mayBeOfConnection(SQLException failure) {
    return dialect.mayBeOfConnection(failure);
  }

  /** Returns the number of connections that the data source can lend at once; empty if unknown. */
  Optional<Integer> size() {
    return pool.map(PoolView::size);
  }

  String name() {
    return pool.map(one -> "the pool " + one.name()).orElse("the data source");
  }

  /** Returns the use of the pool, or an empty text if it is unknown. */
  String use() {
    return pool.map(PoolView::use).orElse("");
  }

  /** Returns the exception for a caller who got no connection in time. */
  SQLException exhausted(long seconds, @Nullable SQLException last) {
    String message =
        pool.map(PoolView::name).orElse("The data source")
            + " - Connection is not available, request timed out after "
            + seconds
            + " s"
            + use()
            + (last == null ? "" : "; last failure: " + last.getMessage());
    return new SQLTransientConnectionException(message, "08001", last);
  }
}
