package io.punctual;

/**
 * A {@link Recurrence} can't be read, or its next occurrence can't be computed: the module of its
 * kind is not on the class path, or a later version wrote it, or its provider failed. A worker
 * keeps a message with such a recurrence in the queue.
 */
public final class RecurrenceException extends PunctualException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public RecurrenceException(String message) {
    super(message);
  }

  /** Creates the exception with a cause. */
  public RecurrenceException(String message, Throwable cause) {
    super(message, cause);
  }
}
