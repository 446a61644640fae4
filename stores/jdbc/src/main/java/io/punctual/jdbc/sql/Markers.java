package io.punctual.jdbc.sql;

import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.NoSuchElementException;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rows by which this client finds out whether a transaction without a reply was committed. The
 * client's id is random, so no other client can use its numbers. Safe for use by many threads.
 */
public final class Markers {
  /** The number of calls after which the rows of decided calls are deleted. */
  private static final int DELETE_EVERY = 256;

  private static final Logger log = LoggerFactory.getLogger(Markers.class);

  private static final long FORGOTTEN_MILLIS = 24 * 3_600_000L;

  private final Dialect dialect;
  private final SecureRandom random = new SecureRandom();
  private final AtomicLong last = new AtomicLong();
  private final ConcurrentSkipListSet<Long> open = new ConcurrentSkipListSet<>();
  private volatile byte[] client;

  /**
   * The row of a call.
   *
   * @param client the client's id when the call began
   * @param number the number of the call, from 1
   */
  public record Marker(byte[] client, long number) {}

  /** Creates the markers of a new client. */
  public Markers(Dialect dialect) {
    this.dialect = dialect;
    client = newClient();
  }

  private byte[] newClient() {
    byte[] id = new byte[16];
    random.nextBytes(id);
    return id;
  }

  /** Returns the row of a new call, which stays open until {@link #decided}. */
  public Marker open() {
    synchronized (open) {
      long number = last.incrementAndGet();
      open.add(number);
      return new Marker(client, number);
    }
  }

  /** Takes a new id, because a copy of this process uses the old id. */
  public void renew() {
    client = newClient();
  }

  /** Notes that the result of a call is known, so that its row can go. */
  public void decided(Marker marker) {
    open.remove(marker.number());
  }

  /**
   * Inserts the row of a call. Waits for a transaction that has inserted the row and is undecided.
   *
   * @return whether the row was absent
   */
  public boolean insert(Connection connection, Marker marker) throws SQLException {
    long number = marker.number();
    if (number % DELETE_EVERY == 0) {
      deleteDecided(connection);
    }
    String sql =
        "INSERT INTO punctual_call (client_id, call_number, at_millis) VALUES (?, ?, "
            + dialect.nowMicros()
            + " / 1000)"
            + dialect.unlessPresent();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setBytes(1, marker.client());
      statement.setLong(2, number);
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

  private void deleteBelow(Connection connection, long number) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "DELETE FROM punctual_call WHERE client_id = ? AND call_number < ?")) {
      statement.setBytes(1, client);
      statement.setLong(2, number);
      statement.executeUpdate();
    }
  }

  /** Deletes the rows of this client, up to the first call whose result is unknown. */
  public void deleteDecided(Connection connection) throws SQLException {
    deleteBelow(connection, lowestOpen());
  }

  /**
   * Deletes the rows that clients which were killed left behind. Leaves them for a later time if a
   * different process deletes them at the same time.
   *
   * @param connection a connection with autocommit
   */
  public void deleteForgotten(Connection connection, PoolSettings pool) throws SQLException {
    connection.setAutoCommit(false);
    try {
      pool.change(connection);
      deleteForgotten(connection);
      connection.commit();
    } catch (SQLException e) {
      connection.rollback();
      if (!SqlFailures.isConflict(e)) {
        throw e;
      }
      log.debug("The rows of old calls stay until a store opens again", e);
    } finally {
      pool.restore(connection);
      connection.setAutoCommit(true);
    }
  }

  private void deleteForgotten(Connection connection) throws SQLException {
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
