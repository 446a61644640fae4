package io.punctual.jackson;

import io.punctual.Codec;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.type.TypeFactory;

/**
 * A codec that encodes payloads as JSON in UTF-8 with Jackson 3.
 *
 * <pre>{@code
 * TimedQueue<Order> orders = punctual.queue("order-timeout", JacksonCodec.of(Order.class));
 * TimedQueue<List<Order>> batches =
 *     punctual.queue("order-batches", JacksonCodec.of(new TypeReference<>() {}));
 * }</pre>
 *
 * <p>The default mapper has Jackson's defaults. It ignores unknown properties, so that fields can
 * be added while older workers run; it writes times as ISO-8601 text; and it rejects any input
 * after the JSON value. The JSON {@code null} is rejected in both directions, because a payload is
 * never null. The codec neither writes nor reads type names unless a custom mapper or an annotation
 * of the type asks for them. In a named module, open the packages of non-public types to {@code
 * tools.jackson.databind}.
 *
 * <p>If Jackson fails, both directions throw an {@link IllegalArgumentException} that names the
 * type and has Jackson's exception as its cause. So the schedule of an unwritable payload fails,
 * and a message with an unreadable payload becomes a dead letter when the retry policy allows no
 * further attempt.
 *
 * <p>Immutable, and safe for use by many threads.
 *
 * @param <T> the type of the payloads
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

  private JacksonCodec(JavaType type, ObjectWriter writer, ObjectReader reader) {
    this.type = type;
    this.writer = writer;
    this.reader = reader;
  }

  /**
   * Returns a codec that refuses fields that the type does not have. Without it, a field that was
   * renamed is ignored, and the new field is null or zero.
   */
  public JacksonCodec<T> refuseUnknownFields() {
    return new JacksonCodec<>(
        type, writer, reader.with(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES));
  }

  /** Returns a codec for a class, with Jackson's defaults. */
  public static <T> JacksonCodec<T> of(Class<T> type) {
    return of(type, JsonMapper.shared());
  }

  /** Returns a codec for a class, with a custom mapper. */
  public static <T> JacksonCodec<T> of(Class<T> type, JsonMapper mapper) {
    Objects.requireNonNull(type, "type");
    return new JacksonCodec<>(mapper, types -> types.constructType(type));
  }

  /** Returns a codec for a generic type, with Jackson's defaults. */
  public static <T> JacksonCodec<T> of(TypeReference<T> type) {
    return of(type, JsonMapper.shared());
  }

  /** Returns a codec for a generic type, with a custom mapper. */
  public static <T> JacksonCodec<T> of(TypeReference<T> type, JsonMapper mapper) {
    Objects.requireNonNull(type, "type");
    return new JacksonCodec<>(mapper, types -> types.constructType(type));
  }

  /**
   * Returns a codec for a type known only at run time, with Jackson's defaults. The caller must
   * ensure that {@code T} is that type.
   */
  public static <T> JacksonCodec<T> of(JavaType type) {
    return of(type, JsonMapper.shared());
  }

  /**
   * Returns a codec for a type known only at run time, with a custom mapper. The caller must ensure
   * that {@code T} is that type.
   */
  public static <T> JacksonCodec<T> of(JavaType type, JsonMapper mapper) {
    Objects.requireNonNull(type, "type");
    return new JacksonCodec<>(mapper, types -> type);
  }

  /**
   * Encodes a payload as JSON.
   *
   * @throws IllegalArgumentException if Jackson cannot write the payload
   * @throws NullPointerException if the payload is null
   */
  @Override
  public byte[] encode(T payload) {
    Objects.requireNonNull(payload, "payload");
    try {
      return writer.writeValueAsBytes(payload);
    } catch (RuntimeException e) {
      throw new IllegalArgumentException("Jackson cannot write this " + name() + " as JSON", e);
    }
  }

  /**
   * Decodes a payload from JSON.
   *
   * @throws IllegalArgumentException if the bytes are not JSON, are the JSON {@code null}, or do
   *     not match the type
   */
  @Override
  public T decode(byte[] bytes) {
    @Nullable T payload;
    try {
      payload = reader.readValue(bytes);
    } catch (RuntimeException e) {
      throw new IllegalArgumentException("Jackson cannot read the payload as a " + name(), e);
    }
    if (payload == null) {
      throw new IllegalArgumentException("The payload is JSON null, which is no valid " + name());
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
