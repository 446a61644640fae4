package io.punctual.spring;

import io.punctual.Transaction;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.SimpleConnectionHandle;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ReflectionUtils;

/**
 * The Spring transactions on the {@code DataSource} of an SQL store. Changes of queues join a
 * transaction, and take effect if and when it commits:
 *
 * <pre>{@code
 * @Transactional
 * @PunctualListener("order-timeouts")
 * public void close(Delivery<Order> delivery) {
 *   repository.close(delivery.payload().id());
 *   delivery.ack(transactions.current());
 * }
 * }</pre>
 *
 * <p>A rollback to a savepoint also drops the changes that joined the transaction after the
 * savepoint. Needs {@code punctual-jdbc} and {@code spring-jdbc}. Safe for use by many threads; a
 * transaction belongs to its thread.
 */
public final class PunctualTransactions {
  static final Method IS_ACTIVE = isActive();

  private final DataSource source;

  /**
   * Creates an access to the transactions of a data source.
   *
   * @param source the data source of the store and of the transaction manager
   */
  public PunctualTransactions(DataSource source) {
    this.source = target(Objects.requireNonNull(source, "source"));
  }

  private static Method isActive() {
    Method method = ReflectionUtils.findMethod(ConnectionHolder.class, "isTransactionActive");
    ReflectionUtils.makeAccessible(Objects.requireNonNull(method));
    return method;
  }

  /**
   * Returns the data source behind a proxy, because the transaction manager binds its connections
   * to that data source.
   */
  private static DataSource target(DataSource source) {
    DataSource target =
        source instanceof TransactionAwareDataSourceProxy proxy
            ? proxy.getTargetDataSource()
            : source;
    return target == null ? source : target;
  }

  /**
   * Returns the transaction of the calling thread, for {@link io.punctual.TimedQueue#inTransaction}
   * and {@link io.punctual.Delivery#ack(Transaction)}.
   *
   * @throws IllegalStateException if the thread has no open transaction on the data source
   */
  public Transaction current() {
    Transaction found = find();
    if (found == null) {
      throw new IllegalStateException(
          "The thread has no open transaction on the data source of the store: call this in a"
              + " @Transactional method, before the commit, with a transaction manager of the same"
              + " data source");
    }
    return found;
  }

  /**
   * Returns the open transaction of the calling thread on the data source, or null if there is
   * none.
   */
  @Nullable Transaction find() {
    if (!TransactionSynchronizationManager.isSynchronizationActive()
        || !TransactionSynchronizationManager.isActualTransactionActive()) {
      return null;
    }
    for (TransactionSynchronization each :
        TransactionSynchronizationManager.getSynchronizations()) {
      if (each instanceof JoinedTransaction joined && joined.isOf(this)) {
        return joined.open();
      }
    }
    return TransactionSynchronizationManager.getResource(source) instanceof ConnectionHolder holder
            && isOfTransaction(holder)
        ? join()
        : null;
  }

  /**
   * Returns whether the commit of the transaction also commits this connection. In a transaction on
   * a different database, {@link DataSourceUtils} binds a connection that the commit does not
   * reach. {@code DataSourceTransactionManager} marks the connections of its transactions as
   * active, and managers of JPA bind a different type of connection handle.
   */
  private static boolean isOfTransaction(ConnectionHolder holder) {
    return !(holder.getConnectionHandle() instanceof SimpleConnectionHandle)
        || Boolean.TRUE.equals(ReflectionUtils.invokeMethod(IS_ACTIVE, holder));
  }

  /**
   * Joins the transaction; returns null if its connection commits each statement, which some
   * transaction managers allow.
   */
  private @Nullable Transaction join() {
    Connection connection = DataSourceUtils.getConnection(source);
    if (commitsEachStatement(connection)) {
      DataSourceUtils.releaseConnection(connection, source);
      return null;
    }
    JoinedTransaction joined = new JoinedTransaction(this, source, connection);
    TransactionSynchronizationManager.registerSynchronization(joined);
    return joined.open();
  }

  private static boolean commitsEachStatement(Connection connection) {
    try {
      return connection.getAutoCommit();
    } catch (SQLException e) {
      throw new IllegalStateException("The connection of the transaction is broken", e);
    }
  }
}
