package io.punctual.journal.disk;

import java.io.IOException;

/**
 * What was written may never reach the disk, whatever is tried later: the operating system may have
 * dropped it and say nothing the next time.
 */
public final class ForceFailedException extends IOException {
  private static final long serialVersionUID = 1L;

  public ForceFailedException(String what, IOException cause) {
    super(what + " could not be forced to the disk: " + cause.getMessage(), cause);
  }
}
