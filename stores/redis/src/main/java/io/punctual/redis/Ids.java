package io.punctual.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;

/**
 * Converts ids between text and the bytes on the server, in UTF-8. A foreign program can have
 * written bytes that are not UTF-8. Each of these bytes becomes a lone low surrogate, U+DC80 to
 * U+DCFF, which is converted back to the byte. So a message with a foreign id can also be found,
 * buried and deleted.
 */
final class Ids {
  private static final int ESCAPE = 0xDC00;

  /** The character that Java puts in place of bytes that are not UTF-8; see {@link #escape}. */
  private static final char REPLACEMENT = '\uFFFD';

  private Ids() {}

  static byte[] bytes(String id) {
    return hasEscapes(id) ? unescape(id) : id.getBytes(UTF_8);
  }

  private static boolean hasEscapes(String id) {
    for (int i = 0; i < id.length(); i++) {
      if (isEscape(id, i)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isEscape(String id, int at) {
    int value = id.charAt(at) - ESCAPE;
    return value >= 0x80
        && value <= 0xFF
        && (at == 0 || !Character.isHighSurrogate(id.charAt(at - 1)));
  }

  private static byte[] unescape(String id) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int from = 0;
    for (int i = 0; i < id.length(); i++) {
      if (isEscape(id, i)) {
        out.writeBytes(id.substring(from, i).getBytes(UTF_8));
        out.write(id.charAt(i) - ESCAPE);
        from = i + 1;
      }
    }
    out.writeBytes(id.substring(from).getBytes(UTF_8));
    return out.toByteArray();
  }

  static String text(byte[] bytes) {
    String text = new String(bytes, UTF_8);
    return text.indexOf(REPLACEMENT) < 0 ? text : escape(bytes);
  }

  private static String escape(byte[] bytes) {
    CharsetDecoder decoder = UTF_8.newDecoder();
    ByteBuffer in = ByteBuffer.wrap(bytes);
    CharBuffer out = CharBuffer.allocate(bytes.length);
    CoderResult result = decoder.decode(in, out, true);
    while (result.isMalformed()) {
      for (int i = 0; i < result.length(); i++) {
        out.put((char) (ESCAPE | (in.get() & 0xFF)));
      }
      result = decoder.reset().decode(in, out, true);
    }
    return out.flip().toString();
  }
}
