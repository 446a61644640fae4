package io.punctual.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.spi.Entry;
import io.punctual.spi.EntryQuery;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The position at which a listing of messages continues: after the last listed message. A listing
 * is sorted by score, and messages of the same score by id; with the newest first, in the opposite
 * order.
 *
 * @param score the score of the last listed message, a time in milliseconds
 * @param id the bytes of the last listed message's id on the server
 * @param newestFirst whether the listing has the newest message first
 */
record Cursor(long score, byte[] id, boolean newestFirst) {
  static Cursor after(EntryQuery query, Entry entry) {
    return new Cursor(query.time(entry), Ids.bytes(entry.id()), query.newestFirst());
  }

  /**
   * Parses a cursor.
   *
   * @throws IllegalArgumentException if the text is not a cursor of this store, or of a listing in
   *     the other direction
   */
  static Cursor parse(String text, boolean newestFirst) {
    try {
      byte[] bytes = Base64.getUrlDecoder().decode(text.getBytes(UTF_8));
      if (bytes.length > Long.BYTES && bytes[0] == format(newestFirst)) {
        return new Cursor(
            ByteBuffer.wrap(bytes, 1, Long.BYTES).getLong(),
            Arrays.copyOfRange(bytes, 1 + Long.BYTES, bytes.length),
            newestFirst);
      }
    } catch (IllegalArgumentException e) {
      throw foreign(text, e);
    }
    throw foreign(text, null);
  }

  /** Returns the first byte of the cursors of a direction. */
  private static byte format(boolean newestFirst) {
    return (byte) (newestFirst ? 'n' : 'r');
  }

  private static IllegalArgumentException foreign(String text, @Nullable Throwable cause) {
    return new IllegalArgumentException(
        "Not a cursor of this listing: '" + text + "'; pass the 'next' of a page of it", cause);
  }

  /** Returns the score and the id as arguments of browse.lua. */
  List<byte[]> arguments() {
    return List.of(Long.toString(score).getBytes(US_ASCII), id);
  }

  @Override
  public String toString() {
    ByteBuffer bytes = ByteBuffer.allocate(1 + Long.BYTES + id.length);
    bytes.put(format(newestFirst)).putLong(score).put(id);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
  }
}
