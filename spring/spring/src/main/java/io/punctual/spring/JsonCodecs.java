package io.punctual.spring;

import io.punctual.Codec;
import io.punctual.jackson.JacksonCodec;
import java.lang.reflect.Type;
import java.util.Objects;
import tools.jackson.databind.json.JsonMapper;

/**
 * Codecs that store {@code byte[]} unchanged, {@code String} as UTF-8 text, and any other type as
 * JSON. Requires {@code punctual-jackson}. Safe for use by many threads.
 */
public final class JsonCodecs implements PunctualCodecs {
  private final JsonMapper mapper;

  /** Creates codecs that use this mapper for JSON. */
  public JsonCodecs(JsonMapper mapper) {
    this.mapper = Objects.requireNonNull(mapper, "mapper");
  }

  static JsonCodecs withDefaults() {
    return new JsonCodecs(JsonMapper.shared());
  }

  @Override
  public Codec<?> codec(Type type) {
    return PlainCodecs.hasCodec(type)
        ? PlainCodecs.INSTANCE.codec(type)
        : JacksonCodec.of(mapper.constructType(type), mapper);
  }
}
