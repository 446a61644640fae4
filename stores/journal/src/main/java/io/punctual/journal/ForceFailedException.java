package io.punctual.journal;

import java.io.IOException;

/**
 * What was written may never reach the disk, whatever is tried later: the operating system may have
 * dropped it and say nothing the next time.
 */
final class ForceFailedException extends IOException {
  private static final long serialVersionUID = 1L;

  ForceFailedException(String what, IOException cause) {
    super(what + " could not be forced to the disk: " + cause.getMessage(), cause);
  }
}
