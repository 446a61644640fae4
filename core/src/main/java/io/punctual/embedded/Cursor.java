package io.punctual.embedded;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A position in a listing that is sorted by time and then by id: directly after the message with
 * this time and this id.
 *
 * @param time the time of the position, in milliseconds from 1970
 * @param id the id of the last message before the position
 */
public record Cursor(long time, String id) implements Comparable<Cursor> {
  /** The position before the first message. */
  public static final Cursor START = new Cursor(Long.MIN_VALUE, "");

  public static Cursor parse(@Nullable String text) {
    if (text == null) {
      return START;
    }
    try {
      String plain = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
      int colon = plain.indexOf(':');
      return new Cursor(Long.parseLong(plain, 0, colon, 10), plain.substring(colon + 1));
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new IllegalArgumentException("Not a cursor of this store: '" + text + "'", e);
    }
  }

  @Override
  public int compareTo(Cursor other) {
    return compareTo(other.time, other.id);
  }

  public int compareTo(long otherTime, String otherId) {
    return time == otherTime ? id.compareTo(otherId) : Long.compare(time, otherTime);
  }

  @Override
  public String toString() {
    byte[] plain = (time + ":" + id).getBytes(StandardCharsets.UTF_8);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(plain);
  }
}
