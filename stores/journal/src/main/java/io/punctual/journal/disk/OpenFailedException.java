package io.punctual.journal.disk;

import java.io.IOException;

/**
 * Thrown if a file can't be opened for a reason that says nothing about the file, for example
 * because the process has too many open files. The read can be tried again.
 */
public final class OpenFailedException extends IOException {
  private static final long serialVersionUID = 1L;

  public OpenFailedException(IOException cause) {
    super("a file could not be opened: " + FileFailures.description(cause), cause);
  }
}
