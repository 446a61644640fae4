package io.punctual.spring;

/** When a {@link TransactionalQueue} sends its schedules. */
public enum TransactionMode {
  /**
   * Before the commit, so that a failure rolls the transaction back. If an SQL store uses the
   * transaction's {@code DataSource}, the schedules are part of the transaction. Otherwise a
   * schedule that may replace a message is sent after the commit.
   */
  BEFORE_COMMIT,
  /** After the commit. A crash between the commit and the call loses the schedules. */
  AFTER_COMMIT,
  /** At once. The transaction has no effect on the schedules. */
  NONE
}
