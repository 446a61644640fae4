package io.punctual.spi;

import io.punctual.Limits;
import io.punctual.PauseNote;
import org.jspecify.annotations.Nullable;

/**
 * Encodes a {@link PauseNote} as a text that stores can keep: the name, a line feed and the reason;
 * empty for an empty note. The class is stateless, so it is safe for use by many threads.
 */
public final class PauseNoteFormat {
  /** The largest length of the text in bytes of UTF-8. */
  public static final int MAX_BYTES = 2 * Limits.PAUSE_NOTE_BYTES + 1;

  private PauseNoteFormat() {}

  /** Returns the encoded note. */
  public static String encode(PauseNote note) {
    return note.equals(PauseNote.NONE) ? "" : note.by() + "\n" + note.reason();
  }

  /**
   * Returns the decoded note; {@link PauseNote#NONE} if the text is null or empty.
   *
   * @throws IllegalArgumentException if the text is not an encoded note
   */
  public static PauseNote decode(@Nullable String text) {
    if (text == null || text.isEmpty()) {
      return PauseNote.NONE;
    }
    int end = text.indexOf('\n');
    if (end < 0) {
      throw new IllegalArgumentException("'" + text + "' is not the note of a pause");
    }
    return new PauseNote(text.substring(end + 1), text.substring(0, end));
  }
}
