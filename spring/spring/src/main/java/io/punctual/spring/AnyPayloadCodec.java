package io.punctual.spring;

import io.punctual.Codec;
import java.util.Map;
import org.springframework.util.ClassUtils;

/**
 * Encodes each payload by the codec of its class, so that a queue accepts payloads of any type.
 * Decodes nothing. Thread-safe.
 */
final class AnyPayloadCodec implements Codec<Object> {
  private final PunctualQueues queues;

  AnyPayloadCodec(PunctualQueues queues) {
    this.queues = queues;
  }

  /**
   * Returns the codec of a payload's class. For a proxy that Spring or Hibernate created, this is
   * the codec of the application's class, which the proxy extends.
   *
   * @throws IllegalArgumentException if there is no codec for the class
   */
  Codec<Object> of(Object payload) {
    Class<?> type = payload.getClass();
    boolean hibernate = type.getName().contains("$HibernateProxy$");
    return queues.codec(hibernate ? type.getSuperclass() : ClassUtils.getUserClass(type));
  }

  @Override
  public byte[] encode(Object payload) {
    return of(payload).encode(payload);
  }

  @Override
  public byte[] encode(Object payload, Map<String, String> headers) {
    return of(payload).encode(payload, headers);
  }

  @Override
  public Object decode(byte[] bytes) {
    throw new UnsupportedOperationException("The type of the payload is unknown");
  }
}
