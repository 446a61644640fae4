package io.punctual;

/**
 * A transaction of a database in which a {@link TimedQueue} stores its messages. Changes that join
 * the transaction take effect if and when it commits: see {@link TimedQueue#inTransaction} and
 * {@link Delivery#ack(Transaction)}. The module of the store creates instances; {@code
 * JdbcTransaction.of(connection)} is the transaction of a JDBC connection.
 *
 * <p>Only the thread that uses the transaction may use this object.
 */
public interface Transaction {
  /**
   * Registers an action that runs after the commit, and never after a rollback. The actions publish
   * events, and notify workers of messages that are due soon. If an action never runs, such a
   * message is late by at most {@link io.punctual.spi.Store#safetyCheckInterval}. An action does
   * not block, and throws no exception.
   */
  void afterCommit(Runnable action);
}
