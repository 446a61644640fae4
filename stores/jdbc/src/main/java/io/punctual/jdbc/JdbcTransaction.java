package io.punctual.jdbc;

import io.punctual.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

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
 * <p>For a single transaction, and for the threads that may use its connection.
 */
public final class JdbcTransaction implements Transaction {
  private final Connection connection;
  private final List<Runnable> actions = new ArrayList<>();
  private final @Nullable Consumer<Runnable> framework;

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
   */
  static Connection connectionOf(Transaction transaction) {
    if (transaction instanceof JdbcTransaction joined) {
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

  /**
   * Commits the connection, and then publishes the events of the changes and notifies the workers.
   *
   * @throws SQLException if the commit failed
   * @throws IllegalStateException if a framework commits the connection
   */
  public void commit() throws SQLException {
    if (framework != null) {
      throw new IllegalStateException("A framework commits this transaction; nothing was done");
    }
    connection.commit();
    List<Runnable> committed = List.copyOf(actions);
    actions.clear();
    committed.forEach(Runnable::run);
  }

  @Override
  public String toString() {
    return "JdbcTransaction[" + connection + "]";
  }
}
