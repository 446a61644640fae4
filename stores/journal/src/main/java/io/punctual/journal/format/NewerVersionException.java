package io.punctual.journal.format;

import io.punctual.PunctualException;
import java.util.Locale;

/**
 * Thrown if a newer version of Punctual wrote a file of the journal. The file is not damaged, so a
 * repair must not change it.
 */
public final class NewerVersionException extends PunctualException {
  private static final long serialVersionUID = 1L;

  public NewerVersionException(String file, String version, String known) {
    super(
        String.format(
            Locale.ROOT,
            "%s has the format version %s, but this Punctual knows no newer one than %s. Open the"
                + " journal with the Punctual that wrote it; nothing is damaged, and nothing was"
                + " changed",
            file,
            version,
            known));
  }
}
