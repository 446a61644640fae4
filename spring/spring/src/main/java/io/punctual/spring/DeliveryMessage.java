package io.punctual.spring;

import io.punctual.Delivery;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;

/** A delivery or a batch of deliveries, as a Spring message. Immutable. */
final class DeliveryMessage implements Message<Object> {
  private final Object payload;
  private final MessageHeaders headers;

  private DeliveryMessage(Object payload, MessageHeaders headers) {
    this.payload = payload;
    this.headers = headers;
  }

  static DeliveryMessage of(Delivery<?> delivery) {
    return new DeliveryMessage(delivery.payload(), new Headers(all(delivery)));
  }

  static DeliveryMessage of(List<? extends Delivery<?>> batch, boolean payloads) {
    Map<String, Object> headers =
        Map.of(PunctualHeaders.DELIVERY, batch, PunctualHeaders.QUEUE, batch.get(0).queue());
    Object payload = payloads ? batch.stream().<Object>map(Delivery::payload).toList() : batch;
    return new DeliveryMessage(payload, new Headers(headers));
  }

  private static Map<String, Object> all(Delivery<?> delivery) {
    Map<String, Object> headers = new HashMap<>(delivery.headers());
    headers.put(PunctualHeaders.ID, delivery.id());
    headers.put(PunctualHeaders.QUEUE, delivery.queue());
    headers.put(PunctualHeaders.ATTEMPT, delivery.attempt());
    headers.put(PunctualHeaders.DUE_AT, delivery.dueAt());
    headers.put(PunctualHeaders.LATENESS, delivery.lateness());
    headers.put(PunctualHeaders.DELIVERY, delivery);
    return headers;
  }

  @Override
  public Object getPayload() {
    return payload;
  }

  @Override
  public MessageHeaders getHeaders() {
    return headers;
  }

  /** Returns a text without the payload, because Spring's exceptions write this text to logs. */
  @Override
  public String toString() {
    return "Message[queue="
        + headers.get(PunctualHeaders.QUEUE)
        + ", id="
        + headers.get(PunctualHeaders.ID)
        + "]";
  }

  /**
   * Headers without the id that Spring generates: its random number would cost more than the call
   * of a short method.
   */
  private static final class Headers extends MessageHeaders {
    private static final long serialVersionUID = 1;

    Headers(Map<String, Object> headers) {
      super(headers, ID_VALUE_NONE, -1L);
    }
  }
}
