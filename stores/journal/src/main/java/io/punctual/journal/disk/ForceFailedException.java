package io.punctual.journal.disk;

import java.io.IOException;

/**
 * Thrown if written bytes could not be forced to the disk. The operating system may have dropped
 * the bytes, so that a later force succeeds although they are lost. Also thrown if this process may
 * no longer own the folder.
 */
public final class ForceFailedException extends IOException {
  private static final long serialVersionUID = 1L;

  public ForceFailedException(String what, IOException cause) {
    super(what + " could not be forced to the disk: " + cause.getMessage(), cause);
  }
}
