package io.punctual.spring;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import java.lang.reflect.Type;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.core.ParameterizedTypeReference;

/** Returns queues by name and type of the payload. Safe for use by many threads. */
public final class PunctualQueues {
  private final Punctual punctual;
  private final PunctualCodecs codecs;
  private final Map<Type, Codec<?>> byType = new ConcurrentHashMap<>();

  /** Creates an access to the queues of this client. */
  public PunctualQueues(Punctual punctual, PunctualCodecs codecs) {
    this.punctual = Objects.requireNonNull(punctual, "punctual");
    this.codecs = Objects.requireNonNull(codecs, "codecs");
  }

  /**
   * Returns the queue of this name, whose payloads have this type.
   *
   * @throws IllegalArgumentException if there is no codec for the type
   * @throws io.punctual.PunctualException as {@link Punctual#queue(String, Codec)}
   */
  public <T> TimedQueue<T> get(String name, Class<T> type) {
    return punctual.queue(name, this.<T>codec(type));
  }

  /** As {@link #get(String, Class)}, for a generic type. */
  public <T> TimedQueue<T> get(String name, ParameterizedTypeReference<T> type) {
    return punctual.queue(name, this.<T>codec(type.getType()));
  }

  @SuppressWarnings("unchecked") // The codec of a type encodes and decodes that type.
  private <T> Codec<T> codec(Type type) {
    return (Codec<T>) byType.computeIfAbsent(type, codecs::codec);
  }
}
