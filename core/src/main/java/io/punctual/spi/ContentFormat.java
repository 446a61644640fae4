package io.punctual.spi;

import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Encodes a {@link Content} as bytes, for stores. Without headers, {@link Content#notAfterMillis}
 * and {@link Content#createdMillis}, the overhead is two bytes for a payload of up to 127 bytes,
 * and three bytes for a larger payload below 16 KiB.
 *
 * <pre>
 * byte      upper four bits: version 1; lower four bits, the parts that follow: 1 headers, 2 notAfter,
 *           4 created
 * [8 bytes] notAfter, milliseconds from 1970, big-endian two's complement
 * [8 bytes] created, in the same form
 * [varint]  number of headers, then for each: name, value
 * payload
 *
 * name, value, payload: varint length in bytes, then the bytes; names and values in UTF-8
 * varint: unsigned, 7 bits a byte, lowest first, the top bit set on all bytes but the last
 * </pre>
 *
 * <p>No byte may follow the payload, so that decoding detects missing and extra bytes. It does not
 * detect changed bytes; a store on an unreliable medium adds a checksum. Headers keep their order.
 * The class is stateless, so it is safe for use by many threads.
 */
public final class ContentFormat {
  private static final int VERSION = 1;
  private static final int HEADERS = 1;
  private static final int NOT_AFTER = 2;
  private static final int CREATED = 4;
  private static final int VARINT_BITS = 31;

  private ContentFormat() {}

  /** Returns the encoded content. */
  public static byte[] encode(Content content) {
    boolean hasHeaders = !content.headers().isEmpty();
    boolean hasNotAfter = content.notAfterMillis() != Content.ALWAYS;
    boolean hasCreated = content.createdMillis() != Content.UNKNOWN;
    ByteArrayOutputStream out = new ByteArrayOutputStream(content.approximateBytes());
    out.write(
        (VERSION << 4)
            | (hasHeaders ? HEADERS : 0)
            | (hasNotAfter ? NOT_AFTER : 0)
            | (hasCreated ? CREATED : 0));
    if (hasNotAfter) {
      writeLong(out, content.notAfterMillis());
    }
    if (hasCreated) {
      writeLong(out, content.createdMillis());
    }
    if (hasHeaders) {
      writeVarint(out, content.headers().size());
      content
          .headers()
          .forEach(
              (name, value) -> {
                writeText(out, name);
                writeText(out, value);
              });
    }
    writeBytes(out, content.payload());
    return out.toByteArray();
  }

  private static void writeLong(ByteArrayOutputStream out, long value) {
    for (int shift = Long.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
      out.write((int) (value >>> shift));
    }
  }

  private static void writeText(ByteArrayOutputStream out, String text) {
    writeBytes(out, text.getBytes(StandardCharsets.UTF_8));
  }

  private static void writeBytes(ByteArrayOutputStream out, byte[] bytes) {
    writeVarint(out, bytes.length);
    out.writeBytes(bytes);
  }

  private static void writeVarint(ByteArrayOutputStream out, int value) {
    int rest = value;
    while (rest > 0x7f) {
      out.write((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    out.write(rest);
  }

  /**
   * Returns the decoded content, which shares no memory with the bytes.
   *
   * @throws IllegalArgumentException if the bytes are not an encoded content; the message names the
   *     fault, and shows no part of the content
   */
  public static Content decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    try {
      return decode(in);
    } catch (BufferUnderflowException e) {
      throw unreadable("it ends too early, after " + bytes.length + " bytes", e);
    } catch (CharacterCodingException e) {
      throw unreadable("a header is not UTF-8", e);
    }
  }

  private static Content decode(ByteBuffer in) throws CharacterCodingException {
    int first = in.get() & 0xff;
    if (first >> 4 != VERSION || (first & ~(HEADERS | NOT_AFTER | CREATED) & 0xf) != 0) {
      throw unreadable(
          String.format(
              Locale.ROOT,
              "it begins with byte 0x%02x: a newer version wrote it, or not a store at all",
              first),
          null);
    }
    long notAfterMillis = (first & NOT_AFTER) == 0 ? Content.ALWAYS : in.getLong();
    long createdMillis = (first & CREATED) == 0 ? Content.UNKNOWN : in.getLong();
    Map<String, String> headers = (first & HEADERS) == 0 ? Map.of() : readHeaders(in);
    byte[] payload = readBytes(in);
    if (in.hasRemaining()) {
      throw unreadable(in.remaining() + " bytes follow its payload", null);
    }
    return new Content(payload, headers, notAfterMillis, createdMillis);
  }

  private static Map<String, String> readHeaders(ByteBuffer in) throws CharacterCodingException {
    int count = readVarint(in);
    Map<String, String> headers = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      headers.put(readText(in), readText(in));
    }
    return Collections.unmodifiableMap(headers);
  }

  private static String readText(ByteBuffer in) throws CharacterCodingException {
    return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(readBytes(in))).toString();
  }

  private static byte[] readBytes(ByteBuffer in) {
    int length = readVarint(in);
    if (length > in.remaining()) {
      throw unreadable(
          String.format(Locale.ROOT, "%d bytes should follow, but %d do", length, in.remaining()),
          null);
    }
    byte[] bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }

  private static int readVarint(ByteBuffer in) {
    long value = 0;
    for (int shift = 0; shift < VARINT_BITS; shift += 7) {
      int next = in.get();
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0 && value <= Integer.MAX_VALUE) {
        return (int) value;
      }
    }
    throw unreadable("a length is out of range", null);
  }

  private static IllegalArgumentException unreadable(String why, @Nullable Throwable cause) {
    return new IllegalArgumentException("Not the content of a message: " + why, cause);
  }
}
