package io.punctual;

/**
 * The store did not change a message, because a transaction that is still open has changed it, or
 * has created its queue. On some databases, such a transaction also keeps a queue from being
 * paused. A call for several messages may have changed other messages, and a purge has already
 * removed the messages that it visited before this message; other calls changed nothing. Repeat the
 * call after the end of the transaction.
 */
public final class MessageBusyException extends NotDoneException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception with a text that names the message or the queue, and the remedy. */
  public MessageBusyException(String message) {
    super(message);
  }
}
