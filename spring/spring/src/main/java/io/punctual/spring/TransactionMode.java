package io.punctual.spring;

/** When a {@link TransactionalQueue} sends its schedules. */
public enum TransactionMode {
  /**
   * Before the commit, so that a failure rolls the transaction back. If the store is on the
   * transaction's own data source, inside the transaction.
   */
  BEFORE_COMMIT,
  /** After the commit; a crash in between loses them. */
  AFTER_COMMIT,
  /** At once, without regard to the transaction. */
  NONE
}
