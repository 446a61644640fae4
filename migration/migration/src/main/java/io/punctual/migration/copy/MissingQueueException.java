package io.punctual.migration.copy;

/** The source has no queue of a name that the copy was asked for. Nothing was copied. */
public final class MissingQueueException extends CopyRefusedException {
  private static final long serialVersionUID = 1;

  MissingQueueException(String message) {
    super(message);
  }
}
