package io.punctual.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.spi.Entry;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The position at which a listing of messages continues: after the last listed message. A listing
 * is sorted by score, and messages of the same score by id.
 *
 * @param score the score of the last listed message, a time in milliseconds
 * @param id the bytes of the last listed message's id on the server
 */
record Cursor(long score, byte[] id) {
  private static final byte FORMAT = 'r';

  static Cursor after(Entry entry) {
    long score =
        switch (entry.state()) {
          case SCHEDULED, READY, FINISHED -> entry.dueMillis();
          case LEASED -> entry.leasedUntilMillis();
          case DEAD -> entry.diedAtMillis();
        };
    return new Cursor(score, Ids.bytes(entry.id()));
  }

  /**
   * Parses a cursor.
   *
   * @throws IllegalArgumentException if the text is not a cursor of this store
   */
  static Cursor parse(String text) {
    try {
      byte[] bytes = Base64.getUrlDecoder().decode(text.getBytes(UTF_8));
      if (bytes.length > Long.BYTES && bytes[0] == FORMAT) {
        return new Cursor(
            ByteBuffer.wrap(bytes, 1, Long.BYTES).getLong(),
            Arrays.copyOfRange(bytes, 1 + Long.BYTES, bytes.length));
      }
    } catch (IllegalArgumentException e) {
      throw foreign(text, e);
    }
    throw foreign(text, null);
  }

  private static IllegalArgumentException foreign(String text, @Nullable Throwable cause) {
    return new IllegalArgumentException("Not a cursor of the Redis store: '" + text + "'", cause);
  }

  /** Returns the score and the id as arguments of browse.lua. */
  List<byte[]> arguments() {
    return List.of(Long.toString(score).getBytes(US_ASCII), id);
  }

  @Override
  public String toString() {
    byte[] bytes =
        ByteBuffer.allocate(1 + Long.BYTES + id.length).put(FORMAT).putLong(score).put(id).array();
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
