package io.punctual.jdbc.sql;

import io.punctual.internal.log.Logs;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.NoSuchElementException;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;

/**
 * The marker rows of this client. The transaction of a call with operations inserts a marker row,
 * so the client can later find out whether a commit without a reply took effect. The client's id is
 * random, so that no two clients use the same rows. Safe for use by many threads.
 */
public final class CallMarkers {
  /**
   * The number of calls after which this client deletes the rows of calls whose results are known.
   */
  private static final int DELETE_EVERY = 256;

  private static final Logger log = Logs.of(CallMarkers.class);

  private static final long FORGOTTEN_MILLIS = 24 * 3_600_000L;

  /**
   * How much longer the mark of the tables is kept. A transaction with an older snapshot does not
   * see a mark that was written again.
   */
  private static final long MARK_MILLIS = 90 * FORGOTTEN_MILLIS;

  private final Dialect dialect;
  private final SecureRandom random = new SecureRandom();
  private final AtomicLong last = new AtomicLong();
  private final ConcurrentSkipListSet<Long> open = new ConcurrentSkipListSet<>();

  /** The client's id in the row by which this store recognizes its own tables. */
  private final byte[] store;

  private volatile byte[] client;

  /**
   * The identity of a row.
   *
   * @param client the client's id when the call began
   * @param number the number of the call, from 1
   */
  public record Marker(byte[] client, long number) {}

  /** Creates the markers of a client with a new id. */
  public CallMarkers(Dialect dialect) {
    this.dialect = dialect;
    client = newClient();
    store = newClient();
  }

  private byte[] newClient() {
    byte[] id = new byte[16];
    random.nextBytes(id);
    return id;
  }

  /** Returns the marker of a new call. Its row is kept at least until {@link #decided}. */
  public Marker open() {
    synchronized (open) {
      long number = last.incrementAndGet();
      open.add(number);
      return new Marker(client, number);
    }
  }

  /**
   * Changes the client's id, because a copy of this process, for example in a copied virtual
   * machine, uses the old id.
   */
  public void renew() {
    client = newClient();
  }

  /** Marks the result of a call as known, so that its row can be deleted. */
  public void decided(Marker marker) {
    open.remove(marker.number());
  }

  /**
   * Inserts the row of a call. If an open transaction has inserted the row, waits for the end of
   * that transaction. From time to time, first deletes the rows of decided calls.
   *
   * @return false if the row exists
   */
  public boolean insert(Connection connection, Marker marker) throws SQLException {
    if (marker.number() % DELETE_EVERY == 0) {
      deleteDecided(connection);
    }
    return insertRow(connection, marker, 0);
  }

  private boolean insertRow(Connection connection, Marker marker, long keptMillis)
      throws SQLException {
    String sql =
        "INSERT INTO punctual_call (client_id, call_number, at_millis) VALUES (?, ?, "
            + dialect.nowMicros()
            + " / 1000 + "
            + keptMillis
            + ")"
            + dialect.unlessPresent();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setBytes(1, marker.client());
      statement.setLong(2, marker.number());
      return statement.executeUpdate() == 1;
    } catch (SQLException e) {
      if (String.valueOf(e.getSQLState()).startsWith("23")) {
        return false;
      }
      throw e;
    }
  }

  private long lowestOpen() {
    synchronized (open) {
      try {
        return open.first();
      } catch (NoSuchElementException e) {
        return last.get() + 1;
      }
    }
  }

  private static void deleteBelow(Connection connection, byte[] client, long number)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "DELETE FROM punctual_call WHERE client_id = ? AND call_number < ?")) {
      statement.setBytes(1, client);
      statement.setLong(2, number);
      statement.executeUpdate();
    }
  }

  /**
   * Inserts the row by which this store recognizes its own tables.
   *
   * @return false if the row exists
   */
  public boolean mark(Connection connection) throws SQLException {
    return insertRow(connection, new Marker(store, 0), MARK_MILLIS);
  }

  /**
   * The condition that is true if a transaction sees the tables of this store, and not the tables
   * of a different database or schema.
   */
  public String isMarked() {
    return "EXISTS (SELECT 1 FROM punctual_call WHERE client_id = "
        + dialect.bytes(HexFormat.of().formatHex(store))
        + " AND call_number = 0)";
  }

  /** Deletes the rows of this store, except those of calls whose results are unknown. */
  public void deleteAll(Connection connection) throws SQLException {
    deleteDecided(connection);
    deleteBelow(connection, store, 1);
  }

  /** Deletes this client's rows of the calls before the first call whose result is unknown. */
  public void deleteDecided(Connection connection) throws SQLException {
    deleteBelow(connection, client, lowestOpen());
  }

  /**
   * Deletes the rows that are older than a day, such as the rows of killed clients, and marks the
   * tables. Does nothing if a different process deletes rows at the same time.
   *
   * @param connection a connection with autocommit
   */
  public void deleteForgotten(Connection connection) throws SQLException {
    BorrowedConnection borrowed = BorrowedConnection.of(connection, dialect);
    try (CleanUp restored = borrowed::restore) {
      deleteInTransaction(connection, borrowed);
    } catch (SQLException e) {
      if (!SqlFailures.isConflict(e)) {
        throw e;
      }
      log.debug("The rows of old calls stay until a store opens again", e);
    }
  }

  private void deleteInTransaction(Connection connection, BorrowedConnection borrowed)
      throws SQLException {
    try (CleanUp rolledBack = connection::rollback) { // without effect after the commit
      borrowed.begin();
      delete(connection);
      boolean unused = mark(connection);
      connection.commit();
    }
  }

  private void delete(Connection connection) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "DELETE FROM punctual_call WHERE at_millis < "
                + dialect.nowMicros()
                + " / 1000 - "
                + FORGOTTEN_MILLIS)) {
      statement.executeUpdate();
    }
  }
}
