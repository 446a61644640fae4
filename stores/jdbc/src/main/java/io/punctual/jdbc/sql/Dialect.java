package io.punctual.jdbc.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** The differences between databases. Immutable, so safe for use by many threads. */
public abstract class Dialect {
  /** The largest size of content and history that a claim reads together with the row. */
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
      case "postgresql" -> new PostgreSql();
      case "h2" -> new H2();
      default ->
          throw new IllegalArgumentException(
              "The SQL store supports PostgreSQL and H2, but the database is " + product);
    };
  }

  /** The resource folder of the schema. */
  abstract String folder();

  /** The expression for the database's clock, in microseconds from 1970. */
  public abstract String nowMicros();

  /** The clause that keeps the selected queue from being deleted, for calls with schedules. */
  public abstract String keepQueue();

  /** The clause that locks the selected queue for a claim; empty if claims run side by side. */
  public abstract String claimQueue();

  /** The clause that locks the candidates of a claim. */
  public abstract String lockCandidates();

  /** The additional expression that lets a claim commit without waiting for the disk, or empty. */
  public String relaxedCommit() {
    return "";
  }

  /**
   * The additional expression that bounds the waits for locks in the rest of the transaction, or
   * empty if the database's own bound applies.
   */
  public String lockTimeout(int millis) {
    return "";
  }

  /**
   * The statement that gives the transaction the isolation READ COMMITTED, or empty if only the
   * whole connection has an isolation.
   */
  public String readCommitted() {
    return "";
  }

  /** The end of an INSERT that has no effect on rows which exist; empty if it fails instead. */
  public String unlessPresent() {
    return "";
  }

  /** Returns whether processes can notify each other through the database. */
  public boolean notifies() {
    return false;
  }

  /** Returns whether INSERT and DELETE can return the ids of their rows. */
  public boolean returnsIds() {
    return false;
  }

  /** Returns the condition that the id is among {@code count} ids. */
  public String idIn(int count) {
    return "id IN (" + String.join(", ", Collections.nCopies(padded(count), "?")) + ")";
  }

  /**
   * Sets the parameters of {@link #idIn}.
   *
   * @param index the index of the first parameter
   */
  public void setIds(PreparedStatement statement, int index, List<byte[]> ids) throws SQLException {
    for (int i = 0; i < padded(ids.size()); i++) {
      statement.setBytes(index + i, ids.get(Math.min(i, ids.size() - 1)));
    }
  }

  /** The next power of two, so that few different statements exist. */
  private static int padded(int count) {
    return count <= 1 ? 1 : Integer.highestOneBit(count - 1) << 1;
  }
}
