package io.punctual.redisson;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import org.redisson.client.codec.Codec;
import org.redisson.client.handler.State;

/**
 * Adapts Redisson codecs, so that Punctual workers read payloads that Redisson wrote, and producers
 * write payloads that a process with Redisson reads. Safe for use by many threads, as Redisson's
 * codecs are.
 *
 * <p>Codecs that load the classes that the payload names, for example {@code JsonJacksonCodec} and
 * {@code SerializationCodec}, do so here too: use them only if all producers are trusted.
 */
public final class RedissonCodecs {
  private RedissonCodecs() {}

  /**
   * Returns the codec of values that this codec of Redisson reads and writes.
   *
   * @param codec the codec that the delayed queue was created with, or that of Redisson's
   *     configuration
   */
  public static io.punctual.Codec<Object> of(Codec codec) {
    return of(codec, Object.class);
  }

  /**
   * Returns the codec of values of this type. A payload with a value of a different type cannot be
   * decoded.
   */
  public static <T> io.punctual.Codec<T> of(Codec codec, Class<T> type) {
    return new Adapter<>(codec, type);
  }

  private record Adapter<T>(Codec codec, Class<T> type) implements io.punctual.Codec<T> {
    @Override
    public byte[] encode(T payload) {
      ByteBuf encoded;
      try {
        encoded = codec.getValueEncoder().encode(payload);
      } catch (IOException e) {
        throw new UncheckedIOException("Redisson's codec can't encode the payload", e);
      }
      try {
        return ByteBufUtil.getBytes(encoded);
      } finally {
        encoded.release();
      }
    }

    @Override
    public T decode(byte[] bytes) {
      try {
        Object value = codec.getValueDecoder().decode(Unpooled.copiedBuffer(bytes), new State());
        return type.cast(Objects.requireNonNull(value, "Redisson's codec decoded null"));
      } catch (IOException e) {
        throw new UncheckedIOException("Redisson's codec can't decode the payload", e);
      }
    }
  }
}
