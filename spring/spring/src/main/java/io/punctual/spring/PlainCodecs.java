package io.punctual.spring;

import io.punctual.Codec;
import java.lang.reflect.Type;

/** The codecs of bytes and text. */
final class PlainCodecs implements PunctualCodecs {
  static final PlainCodecs INSTANCE = new PlainCodecs();

  private PlainCodecs() {}

  static boolean hasCodec(Type type) {
    return type == byte[].class || type == String.class;
  }

  @Override
  public Codec<?> codec(Type type) {
    if (type == byte[].class) {
      return Codec.bytes();
    }
    if (type == String.class) {
      return Codec.string();
    }
    throw new IllegalArgumentException(
        "There is no codec for "
            + type.getTypeName()
            + "; add io.punctual:punctual-jackson, or name a codec");
  }
}
