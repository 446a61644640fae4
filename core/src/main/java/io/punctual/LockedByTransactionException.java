package io.punctual;

/**
 * The store did not make a change, because a transaction that is still open locks what it needs: it
 * has changed the message or created its queue, or it locks the table. On some databases, such a
 * transaction also keeps a queue from being paused. A call for several messages may have changed
 * other messages, and a purge has already removed the messages that it visited before this message;
 * other calls changed nothing. Repeat the call after the end of the transaction.
 */
public final class LockedByTransactionException extends NotDoneException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception with a text that names the message or the queue, and the remedy. */
  public LockedByTransactionException(String message) {
    super(message);
  }
}
