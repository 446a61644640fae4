package io.punctual.journal;

import io.punctual.spi.Content;
import io.punctual.spi.ContentFormat;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A whole record of a message, read back. */
record MessageRecord(ByteBuffer bytes) {
  private static final int ID_OF_MESSAGE = 29;
  private static final int ID_OF_REPLACEMENT = 41;

  boolean isIntact() {
    return RecordReader.isIntact(bytes) && idEnd() <= bytes.limit() - 4;
  }

  boolean isOf(long sequence) {
    return bytes.getLong(9) == sequence;
  }

  boolean hasId(byte[] id) {
    return bytes.getShort(idBegin()) == id.length
        && bytes.slice(idBegin() + 2, id.length).equals(ByteBuffer.wrap(id));
  }

  /**
   * The id, if it is certain although the record may be damaged: it has the hash that it should
   * have. Otherwise null.
   */
  @Nullable String trustedId(int hash, long seed, long sequence) {
    int length = bytes.getShort(idBegin());
    int begin = idBegin() + 2;
    boolean fits = isOf(sequence) && length > 0 && begin + length <= bytes.limit() - 4;
    int at = bytes.arrayOffset() + begin;
    return fits && Id.hash(bytes.array(), at, at + length, seed) == hash ? id() : null;
  }

  String id() {
    byte[] id = new byte[bytes.getShort(idBegin())];
    bytes.get(idBegin() + 2, id);
    return new String(id, StandardCharsets.UTF_8);
  }

  Content content() {
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
