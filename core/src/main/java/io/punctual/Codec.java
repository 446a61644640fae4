package io.punctual;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Encodes payloads as bytes and decodes them. The methods may throw unchecked exceptions. If {@code
 * encode} throws, the schedule fails. If {@code decode} throws, the attempt fails: the consumer's
 * {@link RetryPolicy} retries the message and then buries it, so that no message is dropped.
 *
 * <p>Implementations are safe for use by many threads. There is no codec for Java serialization,
 * because deserialization can run code of the sender.
 *
 * @param <T> the payload's type
 */
public interface Codec<T> {
  /** Returns the payload as bytes; the codec must not use the array afterwards. */
  byte[] encode(T payload);

  /**
   * Decodes a payload.
   *
   * @param bytes the encoded payload; may be the array of the store, so the codec must neither
   *     change nor return it
   */
  T decode(byte[] bytes);

  /**
   * Returns the payload as bytes, and may describe the bytes in headers, for example by a content
   * type, a compression or the id of a schema. The client calls this method, which by default calls
   * {@link #encode(Object)}.
   *
   * @param headers the headers of the message; the codec may change the map, but not keep it
   */
  default byte[] encode(T payload, Map<String, String> headers) {
    return encode(payload);
  }

  /**
   * Decodes a payload, and may read the headers for that. Messages of other producers may lack the
   * headers that {@link #encode(Object, Map)} adds. The client calls this method, which by default
   * calls {@link #decode(byte[])}.
   *
   * @param headers the headers of the message, unmodifiable
   */
  default T decode(byte[] bytes, Map<String, String> headers) {
    return decode(bytes);
  }

  /** Returns the codec of payloads that are bytes already; it copies the arrays. */
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
   * Returns the codec of strings as UTF-8. The codec rejects strings with lone surrogates and bytes
   * that are not UTF-8.
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
          throw new IllegalArgumentException(
              "The string has a lone surrogate, so it can't be encoded as UTF-8; fix the payload",
              e);
        }
      }

      @Override
      public String decode(byte[] bytes) {
        try {
          return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
          throw new IllegalArgumentException(
              "The payload is not UTF-8 text; use the codec of its producer", e);
        }
      }
    };
  }
}
