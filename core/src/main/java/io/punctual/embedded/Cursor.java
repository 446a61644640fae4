package io.punctual.embedded;

import io.punctual.spi.Entry;
import io.punctual.spi.EntryQuery;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A position in a listing that is sorted by time and then by id: directly after the message with
 * this time and this id. A listing with the newest first has the opposite order.
 *
 * @param time the time of the position, in milliseconds from 1970
 * @param id the id of the last message before the position
 * @param newestFirst whether the listing has the newest message first
 */
public record Cursor(long time, String id, boolean newestFirst) implements Comparable<Cursor> {
  /** The position before the first message. */
  public static final Cursor START = new Cursor(Long.MIN_VALUE, "", false);

  /** The position before the first message of a listing with the newest first. */
  public static final Cursor NEWEST = new Cursor(Long.MAX_VALUE, "", true);

  private static final String MARK = "newest:";

  /** Returns the position after an entry of a listing. */
  public static Cursor after(EntryQuery query, Entry entry) {
    return new Cursor(query.time(entry), entry.id(), query.newestFirst());
  }

  /**
   * Parses a cursor of a listing; null is the cursor of its first page.
   *
   * @throws IllegalArgumentException if the text is not a cursor of a listing in this direction
   */
  public static Cursor parse(@Nullable String text, boolean newestFirst) {
    if (text == null) {
      return newestFirst ? NEWEST : START;
    }
    try {
      String plain = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
      if (plain.startsWith(MARK) != newestFirst) {
        throw new IllegalArgumentException("The cursor is from a listing in the other direction");
      }
      int begin = newestFirst ? MARK.length() : 0;
      int colon = plain.indexOf(':', begin);
      long time = Long.parseLong(plain, begin, colon, 10);
      return new Cursor(time, plain.substring(colon + 1), newestFirst);
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new IllegalArgumentException(
          "Not a cursor of this listing: '" + text + "'; pass the 'next' of a page of it", e);
    }
  }

  @Override
  public int compareTo(Cursor other) {
    return compareTo(other.time, other.id);
  }

  /** Compares the positions in the order of the listing. */
  public int compareTo(long otherTime, String otherId) {
    int order = time == otherTime ? id.compareTo(otherId) : Long.compare(time, otherTime);
    return newestFirst ? -order : order;
  }

  @Override
  public String toString() {
    String plain = (newestFirst ? MARK : "") + time + ":" + id;
    byte[] bytes = plain.getBytes(StandardCharsets.UTF_8);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
