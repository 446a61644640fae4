package io.punctual.journal.partition;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A position between two messages of a listing: after this time and, at the same time, after this
 * id.
 *
 * @param time in milliseconds from 1970
 * @param id the id of the last message before it
 */
record Cursor(long time, String id) {
  /** The position before everything. */
  static final Cursor START = new Cursor(Long.MIN_VALUE, "");

  static Cursor parse(@Nullable String text) {
    if (text == null) {
      return START;
    }
    try {
      String plain = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
      int colon = plain.indexOf(':');
      return new Cursor(Long.parseLong(plain, 0, colon, 10), plain.substring(colon + 1));
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new IllegalArgumentException("Not a cursor of the journal: '" + text + "'", e);
    }
  }

  @Override
  public String toString() {
    byte[] plain = (time + ":" + id).getBytes(StandardCharsets.UTF_8);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(plain);
  }
}
