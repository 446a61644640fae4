package io.punctual.spring;

/**
 * When changes of queues are sent that were made in a transaction. If an SQL store uses the
 * transaction's {@code DataSource}, {@link #BEFORE_COMMIT} and {@link #AFTER_COMMIT} are the same:
 * the changes are part of the transaction. The modes differ where the store can take no part in the
 * transaction.
 */
public enum TransactionMode {
  /**
   * In the transaction if the store can take part. Otherwise schedules are sent just before the
   * commit, so that a failure rolls the transaction back, and no committed transaction lacks its
   * messages. A message can be delivered before the commit, or although the transaction rolls back.
   * Schedules that may replace a message, cancels and reschedules are sent after the commit.
   */
  BEFORE_COMMIT,
  /**
   * In the transaction if the store can take part. Otherwise all changes are sent after the commit:
   * nothing is delivered before the commit or after a rollback, but a crash between the commit and
   * the call loses the changes.
   */
  AFTER_COMMIT,
  /** At once. The transaction has no effect on the changes. */
  NONE
}
