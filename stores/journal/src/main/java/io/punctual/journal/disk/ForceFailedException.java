package io.punctual.journal.disk;

import java.io.IOException;

/**
 * Thrown if the operating system failed to force written bytes to the disk. The system may have
 * dropped the bytes, so that a later force succeeds although they are lost.
 */
public final class ForceFailedException extends IOException {
  private static final long serialVersionUID = 1L;

  public ForceFailedException(String what, IOException cause) {
    super(what + " could not be forced to the disk: " + cause.getMessage(), cause);
  }
}
