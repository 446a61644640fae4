package io.punctual.journal.disk;

import java.io.IOException;

/**
 * Thrown if a file can't be created, for example because the process has too many open files.
 * Nothing was written, so the creation can be tried again.
 */
public final class CreateFailedException extends IOException {
  private static final long serialVersionUID = 1L;

  public CreateFailedException(IOException cause) {
    super("a file could not be created: " + FileFailures.description(cause), cause);
  }
}
