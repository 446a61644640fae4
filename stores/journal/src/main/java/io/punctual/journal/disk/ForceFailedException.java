package io.punctual.journal.disk;

import java.io.IOException;

/**
 * A force failed. The written bytes may never reach the disk: the operating system may have dropped
 * them, and a later force may succeed nevertheless.
 */
public final class ForceFailedException extends IOException {
  private static final long serialVersionUID = 1L;

  public ForceFailedException(String what, IOException cause) {
    super(what + " could not be forced to the disk: " + cause.getMessage(), cause);
  }
}
