package io.punctual.migration.redisson;

import io.punctual.Codec;
import io.punctual.migration.PayloadReader;

/**
 * Readers for the payloads that Redisson's codecs write. For Redisson's binary codecs, for example
 * its default Kryo codec, use {@link #decoded} with {@code RedissonCodecs.of} of module {@code
 * punctual-redisson}, or import the bytes and decode them in the worker. Safe for use by many
 * threads.
 */
public final class RedissonPayloads {
  private RedissonPayloads() {}

  /** Returns the reader that copies the bytes unchanged. */
  public static PayloadReader<byte[]> bytes() {
    return byte[]::clone;
  }

  /** Returns the reader for {@code StringCodec}: UTF-8. */
  public static PayloadReader<String> string() {
    return decoded(Codec.string());
  }

  /**
   * Returns the reader for {@code TypedJsonJacksonCodec}: JSON without type information.
   *
   * @param codec decodes the JSON
   */
  public static <T> PayloadReader<T> json(Codec<T> codec) {
    return payload -> {
      String unused = JsonTypes.removed(payload);
      return codec.decode(payload);
    };
  }

  /**
   * Returns the reader for {@code JsonJacksonCodec}, which adds the names of classes to its JSON.
   * The reader removes the names from the text, and never loads a class. It removes:
   *
   * <ul>
   *   <li>the first property of an object if its name is {@code @class} and its value is a string;
   *   <li>the array around a value, as in {@code ["java.util.ArrayList", […]]}: an array of two
   *       elements, the first of which is the name of a class in a package. The last part of a
   *       class's name begins with a capital letter.
   * </ul>
   *
   * <p>So an array of two elements is replaced by its second element if the first is a string that
   * looks like the name of a class.
   *
   * @param codec decodes the JSON without the names of classes
   */
  public static <T> PayloadReader<T> untypedJson(Codec<T> codec) {
    return payload ->
        codec.decode(JsonTypes.removed(payload).getBytes(java.nio.charset.StandardCharsets.UTF_8));
  }

  /**
   * Returns the reader that decodes with a codec.
   *
   * @param codec decodes the bytes that Redisson stored
   */
  public static <T> PayloadReader<T> decoded(Codec<T> codec) {
    return codec::decode;
  }
}
