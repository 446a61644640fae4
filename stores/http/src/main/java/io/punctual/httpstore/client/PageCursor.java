package io.punctual.httpstore.client;

import io.punctual.httpstore.wire.UnreadableException;
import io.punctual.httpstore.wire.Wire;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Where a page of a listing begins: at a cursor of the server's store, or after an entry, whose
 * cursor only the server can make.
 */
record PageCursor(@Nullable String cursor, @Nullable Entry after) {
  private static final char OF_STORE = '=';
  private static final char AFTER_ENTRY = '+';
  private static final PageCursor FIRST = new PageCursor(null, null);

  /**
   * Parses a cursor of a client.
   *
   * @throws IllegalArgumentException if it is not one
   */
  static PageCursor parse(@Nullable String text) {
    if (text == null) {
      return FIRST;
    }
    if (!text.isEmpty() && text.charAt(0) == OF_STORE) {
      return new PageCursor(text.substring(1), null);
    }
    if (!text.isEmpty() && text.charAt(0) == AFTER_ENTRY) {
      try {
        byte[] entry = Base64.getUrlDecoder().decode(text.substring(1));
        return new PageCursor(null, (Entry) Wire.answer(Entry.class, entry));
      } catch (UnreadableException e) {
        throw new IllegalArgumentException("Not a cursor of a listing: " + text, e);
      }
    }
    throw new IllegalArgumentException("Not a cursor of a listing: " + text);
  }

  /** Returns the cursor after an entry. */
  static String after(Entry entry) {
    Entry plain =
        new Entry(
            entry.id(),
            entry.state(),
            null,
            entry.dueMillis(),
            entry.attempts(),
            new byte[0],
            entry.leasedUntilMillis(),
            entry.cancelled(),
            entry.diedAtMillis(),
            null);
    return AFTER_ENTRY
        + Base64.getUrlEncoder().withoutPadding().encodeToString(Wire.write(Entry.class, plain));
  }

  /** Returns a page of the server with the cursor of a client. */
  static EntryPage of(EntryPage page) {
    return page.next() == null ? page : new EntryPage(page.entries(), OF_STORE + page.next());
  }
}
