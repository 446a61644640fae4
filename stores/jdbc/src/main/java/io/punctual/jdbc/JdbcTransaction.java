package io.punctual.jdbc;

import io.punctual.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open transaction of a JDBC connection to the database of a {@link JdbcStore}. The connection
 * has no auto-commit, and sees the tables of the store.
 *
 * <pre>{@code
 * JdbcTransaction transaction = JdbcTransaction.of(connection);
 * insertOrder(connection);
 * timeouts.inTransaction(transaction).schedule("order-17", Duration.ofMinutes(30));
 * transaction.commit();
 * }</pre>
 *
 * <p>For a single transaction, also if the connection repeats it after a rollback; then create a
 * new instance. For the threads that may use the connection.
 */
public final class JdbcTransaction implements Transaction {
  private static final Logger log = LoggerFactory.getLogger(JdbcTransaction.class);

  private final Connection connection;
  private final List<Runnable> actions = new ArrayList<>();
  private final @Nullable Consumer<Runnable> framework;
  private boolean ended;

  private JdbcTransaction(Connection connection, @Nullable Consumer<Runnable> framework) {
    this.connection = Objects.requireNonNull(connection, "connection");
    this.framework = framework;
  }

  /**
   * Returns the transaction of a connection that the caller commits: by {@link #commit}, or by the
   * connection itself. Without {@link #commit}, no events are published, and a message that is due
   * within a second can be up to a second late.
   */
  public static JdbcTransaction of(Connection connection) {
    return new JdbcTransaction(connection, null);
  }

  /**
   * Returns the transaction of a connection that a framework commits.
   *
   * @param afterCommit receives actions, which it runs after the commit, and never after a rollback
   */
  public static JdbcTransaction of(Connection connection, Consumer<Runnable> afterCommit) {
    return new JdbcTransaction(connection, Objects.requireNonNull(afterCommit, "afterCommit"));
  }

  /**
   * Returns the connection of a transaction.
   *
   * @throws IllegalArgumentException if it is no transaction of JDBC
   * @throws IllegalStateException if it has ended
   */
  static Connection connectionOf(Transaction transaction) {
    if (transaction instanceof JdbcTransaction joined) {
      joined.requireOpen();
      return joined.connection();
    }
    throw new IllegalArgumentException(
        "The SQL store takes part in transactions of JDBC: use JdbcTransaction.of(connection) in"
            + " place of "
            + transaction);
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
      framework.accept(action);
    }
  }

  private void requireOpen() {
    if (ended) {
      throw new IllegalStateException(
          "This transaction has ended; create a new one by JdbcTransaction.of(connection)");
    }
  }

  /**
   * Commits the connection, and then publishes the events of the changes and notifies the workers.
   * The transaction has ended then, also after a failure.
   *
   * @throws SQLException if the commit failed
   * @throws IllegalStateException if a framework commits the connection, or if the transaction has
   *     ended
   */
  public void commit() throws SQLException {
    requireNoFramework();
    requireOpen();
    // The actions never run later, because a next transaction of the connection may commit.
    ended = true;
    List<Runnable> committed = List.copyOf(actions);
    actions.clear();
    connection.commit();
    committed.forEach(JdbcTransaction::run);
  }

  /**
   * Rolls the connection back, also after a failed commit. The transaction has ended then.
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

  /** The transaction is committed, so the caller must not see the failure of an action. */
  private static void run(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException e) {
      log.warn("An action after a commit failed; the commit is not affected", e);
    }
  }

  @Override
  public String toString() {
    return "JdbcTransaction[" + connection + "]";
  }
}
