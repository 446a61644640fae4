package io.punctual.journal.format;

import io.punctual.PunctualException;

/**
 * Thrown if a newer version of Punctual wrote a file of the journal. The file is not damaged, so a
 * repair must not change it.
 */
public final class NewerVersionException extends PunctualException {
  private static final long serialVersionUID = 1L;

  public NewerVersionException(String file, String version, String known) {
    super(
        ("%s has the format version %s, but this Punctual knows no newer one than %s. Open the journal"
                + " with the Punctual that wrote it; nothing is damaged, and nothing was changed")
            .formatted(file, version, known));
  }
}
