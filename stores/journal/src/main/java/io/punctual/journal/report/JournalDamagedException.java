package io.punctual.journal.report;

import io.punctual.PunctualException;
import org.jspecify.annotations.Nullable;

/**
 * A file of the journal is damaged, or can't be read at some place. The journal does not open with
 * such a file. When an open journal meets it, the operation that needs the place fails without
 * effect, and other operations continue. {@code JournalTool.verify} lists all damage.
 */
public final class JournalDamagedException extends PunctualException {
  private static final long serialVersionUID = 1L;

  private static final String REMEDY =
      "Restore the folder from a copy, or see what 'punctual journal repair' would keep";

  private final String file;
  private final long offset;
  private final String reason;

  /** Creates an exception for damage at a byte of a file. */
  public JournalDamagedException(String file, long offset, String reason) {
    this(file, offset, reason, null);
  }

  /** Creates an exception for damage at a byte of a file, with the error of the disk. */
  public JournalDamagedException(
      String file, long offset, String reason, @Nullable Throwable cause) {
    this("The journal", file, offset, reason, REMEDY, cause);
  }

  /** Returns the same exception with the folder of the journal and the remedy. */
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

  /** Returns the name of the file, or its path where it is known. */
  public String file() {
    return file;
  }

  /** Returns at which byte of the file the damage was noticed, from 0. */
  public long offset() {
    return offset;
  }

  public String reason() {
    return reason;
  }
}
