package io.punctual.jackson;

import io.punctual.Codec;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.type.TypeFactory;

/**
 * The codec of payloads as JSON in UTF-8, by Jackson 3.
 *
 * <pre>{@code
 * TimedQueue<Order> orders = punctual.queue("order-timeout", JacksonCodec.of(Order.class));
 * TimedQueue<List<Order>> batches =
 *     punctual.queue("order-batches", JacksonCodec.of(new TypeReference<>() {}));
 * }</pre>
 *
 * <p>Without a mapper given, Jackson's defaults hold: properties that the type does not have are
 * ignored, so that fields can be added while older workers run; times are ISO-8601 text; anything
 * after the one JSON value is refused. The JSON {@code null} is refused in both directions, because
 * a payload is never null. No type names are written or obeyed unless the mapper given does so. In
 * a named module, open the package of types that are not public to {@code tools.jackson.databind}.
 *
 * <p>Both directions fail with an {@link IllegalArgumentException} that names the type, with
 * Jackson's reason as its cause: a schedule then fails, and a message that cannot be read becomes a
 * dead letter.
 *
 * <p>Immutable, and safe for use by many threads.
 *
 * @param <T> the payload's type
 */
public final class JacksonCodec<T> implements Codec<T> {
  private final JavaType type;
  private final ObjectWriter writer;
  private final ObjectReader reader;

  private JacksonCodec(JsonMapper mapper, Function<TypeFactory, JavaType> type) {
    this.type = type.apply(mapper.getTypeFactory());
    this.writer = mapper.writerFor(this.type);
    this.reader = mapper.readerFor(this.type);
  }

  /** Returns the codec of a class, with Jackson's defaults. */
  public static <T> JacksonCodec<T> of(Class<T> type) {
    return of(type, JsonMapper.shared());
  }

  /** Returns the codec of a class, with a mapper of one's own. */
  public static <T> JacksonCodec<T> of(Class<T> type, JsonMapper mapper) {
    Objects.requireNonNull(type, "type");
    return new JacksonCodec<>(mapper, types -> types.constructType(type));
  }

  /** Returns the codec of a generic type, with Jackson's defaults. */
  public static <T> JacksonCodec<T> of(TypeReference<T> type) {
    return of(type, JsonMapper.shared());
  }

  /** Returns the codec of a generic type, with a mapper of one's own. */
  public static <T> JacksonCodec<T> of(TypeReference<T> type, JsonMapper mapper) {
    Objects.requireNonNull(type, "type");
    return new JacksonCodec<>(mapper, types -> types.constructType(type));
  }

  /**
   * Returns the codec of a type that is known at run time only, with Jackson's defaults. The caller
   * vouches that {@code T} is that type.
   */
  public static <T> JacksonCodec<T> of(JavaType type) {
    return of(type, JsonMapper.shared());
  }

  /**
   * Returns the codec of a type that is known at run time only, with a mapper of one's own. The
   * caller vouches that {@code T} is that type.
   */
  public static <T> JacksonCodec<T> of(JavaType type, JsonMapper mapper) {
    Objects.requireNonNull(type, "type");
    return new JacksonCodec<>(mapper, types -> type);
  }

  /**
   * Returns the payload as JSON.
   *
   * @throws IllegalArgumentException if Jackson can't write it
   */
  @Override
  public byte[] encode(T payload) {
    Objects.requireNonNull(payload, "payload");
    try {
      return writer.writeValueAsBytes(payload);
    } catch (RuntimeException e) {
      throw new IllegalArgumentException("This " + name() + " can't be written as JSON", e);
    }
  }

  /**
   * Returns the payload that this JSON stands for.
   *
   * @throws IllegalArgumentException if it is not JSON, is {@code null}, or does not fit the type
   */
  @Override
  public T decode(byte[] bytes) {
    @Nullable T payload;
    try {
      payload = reader.readValue(bytes);
    } catch (RuntimeException e) {
      throw new IllegalArgumentException("The payload can't be read as a " + name(), e);
    }
    if (payload == null) {
      throw new IllegalArgumentException("The payload is null, and can't be read as a " + name());
    }
    return payload;
  }

  private String name() {
    return type.toCanonical();
  }

  @Override
  public String toString() {
    return "JacksonCodec[" + name() + "]";
  }
}
