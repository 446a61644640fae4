package io.punctual;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Turns payloads into bytes and back. What cannot be turned is reported by any exception: {@link
 * #encode} fails the schedule, and a message that {@link #decode} refuses counts as failed: it is
 * retried by the worker's policy and then buried, never dropped.
 *
 * <p>Implementations are safe for use by many threads. Java serialization is not offered, and
 * should not be: reading it runs what the sender chose.
 *
 * @param <T> the payload's type
 */
public interface Codec<T> {
  /** Returns the payload as bytes; the array is not used by the codec any more. */
  byte[] encode(T payload);

  /**
   * Returns the payload that these bytes stand for.
   *
   * @param bytes must not be changed or handed out: it may be the array that the store keeps
   */
  T decode(byte[] bytes);

  /** Returns the codec that passes bytes through. */
  static Codec<byte[]> bytes() {
    return new Codec<>() {
      @Override
      public byte[] encode(byte[] payload) {
        return payload.clone();
      }

      @Override
      public byte[] decode(byte[] bytes) {
        return bytes.clone();
      }
    };
  }

  /**
   * Returns the codec of strings as UTF-8. Strings with lone surrogates, and bytes that are not
   * UTF-8, are refused rather than altered.
   */
  static Codec<String> string() {
    return new Codec<>() {
      @Override
      public byte[] encode(String payload) {
        try {
          ByteBuffer utf8 =
              StandardCharsets.UTF_8.newEncoder().encode(java.nio.CharBuffer.wrap(payload));
          byte[] bytes = new byte[utf8.remaining()];
          utf8.get(bytes);
          return bytes;
        } catch (CharacterCodingException e) {
          throw new IllegalArgumentException("The string has a lone surrogate; it is not text", e);
        }
      }

      @Override
      public String decode(byte[] bytes) {
        try {
          return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
          throw new IllegalArgumentException("The payload is not UTF-8 text", e);
        }
      }
    };
  }
}
