package io.punctual.spring;

import io.punctual.Codec;
import java.lang.reflect.Type;
import org.springframework.util.ClassUtils;

/**
 * Chooses the codec for the type of a payload, for listeners, {@link PunctualQueues} and {@link
 * PunctualTemplate}. Implementations are safe for use by many threads.
 */
@FunctionalInterface
public interface PunctualCodecs {
  /**
   * Returns the codec of a type. Callers keep the codec.
   *
   * @throws IllegalArgumentException if there is no codec for the type
   */
  Codec<?> codec(Type type);

  /**
   * Returns the default codecs: {@code byte[]} unchanged, {@code String} as UTF-8 text, and any
   * other type as JSON by {@code punctual-jackson}, with Jackson's own defaults. Without {@code
   * punctual-jackson}, there is no codec for other types.
   */
  static PunctualCodecs standard() {
    ClassLoader loader = PunctualCodecs.class.getClassLoader();
    boolean json =
        ClassUtils.isPresent("io.punctual.jackson.JacksonCodec", loader)
            && ClassUtils.isPresent("tools.jackson.databind.json.JsonMapper", loader);
    return json ? JsonCodecs.withDefaults() : PlainCodecs.INSTANCE;
  }
}
