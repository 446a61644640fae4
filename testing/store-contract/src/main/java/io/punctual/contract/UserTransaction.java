package io.punctual.contract;

import io.punctual.Transaction;

/** An open transaction that a user of the store began, with the methods that the tests need. */
public interface UserTransaction extends AutoCloseable {
  /** Returns the transaction, as users pass it to Punctual. */
  Transaction transaction();

  /** Commits the transaction, and runs the actions that wait for the commit. */
  void commit();

  /** Rolls back, unless it was committed. */
  @Override
  void close();
}
