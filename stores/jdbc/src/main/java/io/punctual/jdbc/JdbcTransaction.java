package io.punctual.jdbc;

import io.punctual.Transaction;
import io.punctual.internal.log.Logs;
import io.punctual.jdbc.partition.JoinedConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The open transaction of a JDBC connection to the database of a {@link JdbcStore}. The connection
 * must have autocommit off, and must have access to the tables of the store.
 *
 * <pre>{@code
 * JdbcTransaction transaction = JdbcTransaction.of(connection);
 * insertOrder(connection);
 * timeouts.inTransaction(transaction).schedule("order-17", Duration.ofMinutes(30));
 * transaction.commit();
 * }</pre>
 *
 * <p>An instance is for a single transaction. If the application repeats a transaction after a
 * rollback, it must create a new instance. An instance may be used by the threads that may use the
 * connection.
 */
public final class JdbcTransaction implements Transaction {
  private static final Logger log = Logs.of(JdbcTransaction.class);

  private final Connection connection;
  private final List<Runnable> actions = new ArrayList<>();
  private final @Nullable Consumer<Runnable> framework;
  private boolean ended;

  /**
   * The failure at which the database rolled the transaction back; null if there was no such
   * rollback.
   */
  private @Nullable SQLException rolledBack;

  private boolean isReported;

  /** Whether a statement of the store failed. The database may then refuse the commit. */
  private boolean isDoubtful;

  private JdbcTransaction(Connection connection, @Nullable Consumer<Runnable> framework) {
    this.connection = Objects.requireNonNull(connection, "connection");
    this.framework = framework;
  }

  /**
   * Returns the transaction of a connection that the caller commits, by {@link #commit} or {@link
   * Connection#commit}. If the caller uses {@link Connection#commit}, the store publishes no
   * events, and a message that is due within a second can be up to a second late.
   */
  public static JdbcTransaction of(Connection connection) {
    return new JdbcTransaction(connection, null);
  }

  /**
   * Returns the transaction of a connection that a framework commits.
   *
   * @param afterCommit receives actions; it must run each of them after a commit, and none after a
   *     rollback
   */
  public static JdbcTransaction of(Connection connection, Consumer<Runnable> afterCommit) {
    return new JdbcTransaction(connection, Objects.requireNonNull(afterCommit, "afterCommit"));
  }

  /**
   * Returns the connection of a transaction, for use by the store.
   *
   * @throws IllegalArgumentException if the transaction is not a {@link JdbcTransaction}
   * @throws IllegalStateException if the transaction has ended, or if the database has rolled it
   *     back
   */
  static JoinedConnection joined(Transaction transaction) {
    if (transaction instanceof JdbcTransaction joined) {
      joined.requireOpen();
      return joined.new Joined();
    }
    throw new IllegalArgumentException(
        "The SQL store takes part in transactions of JDBC: use JdbcTransaction.of(connection) in"
            + " place of "
            + transaction);
  }

  private final class Joined implements JoinedConnection {
    @Override
    public Connection connection() {
      return connection;
    }

    @Override
    public void failed(SQLException failure, boolean isRolledBack) {
      isDoubtful = true;
      if (isRolledBack && rolledBack == null) {
        rolledBack = failure;
      }
    }
  }

  /** Returns the connection. */
  public Connection connection() {
    return connection;
  }

  @Override
  public void afterCommit(Runnable action) {
    if (framework == null) {
      actions.add(action);
    } else {
      framework.accept(() -> runUnlessRolledBack(action));
    }
  }

  /**
   * Runs an action after the framework's commit, unless the database has rolled back the
   * transaction. The framework commits even after such a rollback if the application has caught the
   * failure.
   */
  private void runUnlessRolledBack(Runnable action) {
    if (rolledBack == null) {
      run(action);
    } else if (!isReported) {
      isReported = true;
      log.warn(
          "A transaction was committed after the database had rolled back its first part, with"
              + " changes of queues. Roll back if a call fails",
          rolledBack);
    }
  }

  private void requireOpen() {
    requireNotEnded();
    if (rolledBack != null) {
      throw new IllegalStateException(
          "The database has rolled this transaction back. Roll back the connection, and repeat the"
              + " transaction with a new JdbcTransaction",
          rolledBack);
    }
  }

  /**
   * Throws if the database has rolled back the transaction. A commit would store only the
   * statements after that rollback.
   */
  private void requireCommittable() throws SQLException {
    if (rolledBack != null) {
      throw new SQLException(
          "The database has rolled the transaction back, because a call failed: "
              + rolledBack.getMessage()
              + ". Roll back the connection, and repeat the transaction",
          rolledBack.getSQLState(),
          rolledBack.getErrorCode(),
          rolledBack);
    }
    if (isDoubtful) {
      // After a failed statement, PostgreSQL answers a commit with a rollback, and an option of its
      // driver can hide the rollback. This SELECT fails if PostgreSQL would roll back.
      try (Statement statement = connection.createStatement()) {
        boolean unused = statement.execute("SELECT 1");
      }
    }
  }

  private void requireNotEnded() {
    if (ended) {
      throw new IllegalStateException(
          "This transaction has ended; create a new one by JdbcTransaction.of(connection)");
    }
  }

  /**
   * Commits the connection, and then publishes the events of the changes and notifies the workers.
   * The transaction ends, even if the commit fails.
   *
   * @throws SQLException if the commit failed, or if the database has already rolled the
   *     transaction back after a failed call, for example after a deadlock. Nothing is published
   *     then, and nothing is committed unless the connection broke during the commit. Roll back and
   *     repeat the transaction
   * @throws IllegalStateException if a framework commits the connection, or if the transaction has
   *     ended
   */
  public void commit() throws SQLException {
    requireNoFramework();
    requireNotEnded();
    // If this commit fails, the actions must not run after the commit of a later transaction.
    ended = true;
    List<Runnable> committed = List.copyOf(actions);
    actions.clear();
    requireCommittable();
    connection.commit();
    committed.forEach(JdbcTransaction::run);
  }

  /**
   * Rolls the connection back, and ends the transaction. May also be called after a failed commit.
   *
   * @throws SQLException if the rollback failed
   * @throws IllegalStateException if a framework ends the transaction
   */
  public void rollback() throws SQLException {
    requireNoFramework();
    ended = true;
    actions.clear();
    connection.rollback();
  }

  private void requireNoFramework() {
    if (framework != null) {
      throw new IllegalStateException("A framework ends this transaction; nothing was done");
    }
  }

  /**
   * Runs an action after the commit. Only logs an exception or an error of the action, because the
   * caller would mistake it for a failed commit, and the other actions would not run.
   */
  private static void run(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException | Error e) { // for example no memory for a thread
      log.warn("An action after a commit failed; the commit is not affected", e);
    }
  }

  @Override
  public String toString() {
    return "JdbcTransaction[" + connection + "]";
  }
}
