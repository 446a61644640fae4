package io.punctual.spring;

import io.punctual.Transaction;
import io.punctual.jdbc.JdbcTransaction;
import java.sql.Connection;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * A Spring transaction that can contain changes to queues, and the actions that run after its
 * commit. For use by the transaction's thread.
 */
final class JoinedTransaction implements TransactionSynchronization {
  private static final Logger log = LoggerFactory.getLogger("io.punctual.spring.transaction");

  private final PunctualTransactions owner;
  private final DataSource source;
  private final Connection connection;
  private final JdbcTransaction transaction;
  private final SavepointList<Runnable> actions = new SavepointList<>();
  private boolean ended;

  JoinedTransaction(PunctualTransactions owner, DataSource source, Connection connection) {
    this.owner = owner;
    this.source = source;
    this.connection = connection;
    this.transaction = JdbcTransaction.of(connection, actions::add);
  }

  boolean isOf(PunctualTransactions candidate) {
    return owner == candidate;
  }

  /** Returns the transaction, or null once its commit or rollback has begun. */
  @Nullable Transaction open() {
    return ended ? null : transaction;
  }

  @Override
  public void savepoint(Object savepoint) {
    actions.savepoint(savepoint);
  }

  @Override
  public void savepointRollback(Object savepoint) {
    actions.rollback(savepoint);
  }

  /**
   * Ends the access to the transaction, because a change that a callback makes after the commit
   * would never be committed.
   */
  @Override
  public void beforeCompletion() {
    ended = true;
    DataSourceUtils.releaseConnection(connection, source);
  }

  @Override
  public void afterCommit() {
    actions.takeAll().forEach(Runnable::run);
  }

  @Override
  public void afterCompletion(int status) {
    if (!ended) {
      DataSourceUtils.releaseConnection(connection, source);
      log.error(
          "A change of a queue joined a transaction after its commit, and may be lost: a callback"
              + " after the commit must change the queue without the transaction");
    } else if (status == STATUS_COMMITTED) {
      afterCommit();
    }
  }
}
