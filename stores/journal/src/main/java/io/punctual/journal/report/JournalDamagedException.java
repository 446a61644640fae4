package io.punctual.journal.report;

import io.punctual.PunctualException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if a file of the journal is damaged, or the disk can't read a part of it. A journal does
 * not open if it finds damage in its manifest or segments at the start. If an open journal finds
 * damage, only the operations that need the damaged bytes fail, and other operations continue.
 * {@code JournalTool.verify} looks for damage in the manifest and in all segments.
 */
public final class JournalDamagedException extends PunctualException {
  private static final long serialVersionUID = 1L;

  private static final String REMEDY =
      "Restore the folder from a copy, or see what 'punctual journal repair' would keep";

  private final String file;
  private final long offset;
  private final String reason;

  /** Creates an exception for damage at {@code offset} of a file. */
  public JournalDamagedException(String file, long offset, String reason) {
    this(file, offset, reason, null);
  }

  /** Creates an exception with a cause, for example for bytes that the disk can't read. */
  public JournalDamagedException(
      String file, long offset, String reason, @Nullable Throwable cause) {
    this("The journal", file, offset, reason, REMEDY, cause);
  }

  /** Returns an exception for the same damage. Its message names the folder and the remedy. */
  public JournalDamagedException with(String folder, String remedy) {
    return new JournalDamagedException("The journal " + folder, file, offset, reason, remedy, this);
  }

  private JournalDamagedException(
      String journal,
      String file,
      long offset,
      String reason,
      String remedy,
      @Nullable Throwable cause) {
    super(
        journal
            + " is damaged: "
            + file
            + " at byte "
            + offset
            + ": "
            + reason
            + ". Nothing was dropped. "
            + remedy,
        cause);
    this.file = file;
    this.offset = offset;
    this.reason = reason;
  }

  /** Returns the name of the file in the journal's folder. */
  public String file() {
    return file;
  }

  /** Returns the position in the file at which the damage was found, from 0. */
  public long offset() {
    return offset;
  }

  public String reason() {
    return reason;
  }
}
