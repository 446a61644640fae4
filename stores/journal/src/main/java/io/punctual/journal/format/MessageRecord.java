package io.punctual.journal.format;

import io.punctual.Limits;
import io.punctual.spi.Content;
import io.punctual.spi.ContentFormat;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A message's record as read from a segment: the whole record, or only its first {@link #HEAD}
 * bytes to get the id.
 */
public record MessageRecord(ByteBuffer bytes) {
  private static final int ID_OF_MESSAGE = 29;
  private static final int ID_OF_REPLACEMENT = 41;

  /** The number of bytes at the start of a record that contain the id, however long it is. */
  public static final int HEAD = ID_OF_REPLACEMENT + 2 + Limits.ID_BYTES;

  public boolean isIntact() {
    return RecordReader.isIntact(bytes)
        && idBegin() + 2 <= bytes.limit()
        && idEnd() <= bytes.limit() - 4;
  }

  public boolean isOf(long sequence) {
    return bytes.getLong(9) == sequence;
  }

  /**
   * Returns the id, or null if its hash or the message's sequence number is not as expected. The
   * rest of the record may be damaged.
   */
  public @Nullable String trustedId(int hash, long seed, long sequence) {
    int begin = idBegin() + 2;
    int length = begin > bytes.limit() ? 0 : bytes.getShort(begin - 2);
    boolean fits = isOf(sequence) && length > 0 && begin + length <= bytes.limit();
    int at = bytes.arrayOffset() + begin;
    return fits && Id.hash(bytes.array(), at, at + length, seed) == hash ? id() : null;
  }

  String id() {
    byte[] id = new byte[bytes.getShort(idBegin())];
    bytes.get(idBegin() + 2, id);
    return new String(id, StandardCharsets.UTF_8);
  }

  public Content content() {
    byte[] content = new byte[bytes.limit() - 4 - idEnd()];
    bytes.get(idEnd(), content);
    return ContentFormat.decode(content);
  }

  private int idBegin() {
    return bytes.get(0) == RecordType.REPLACEMENT.code() ? ID_OF_REPLACEMENT : ID_OF_MESSAGE;
  }

  private int idEnd() {
    return idBegin() + 2 + bytes.getShort(idBegin());
  }
}
