package io.punctual.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.Delivery;
import io.punctual.internal.message.TraceHeaders;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/**
 * Makes records from deliveries. Thread-safe if the functions are.
 *
 * @param topic returns the topic of a message
 * @param key returns the key of a message, or null for a record without a key
 */
record Records(
    Function<Delivery<byte[]>, String> topic, Function<Delivery<byte[]>, byte @Nullable []> key) {
  /**
   * Returns the record of a delivery. An error of a function, such as a stack overflow or a lack of
   * memory on a large payload, concerns this delivery only, as in a handler.
   *
   * @throws RefusedException if a function fails or returns no topic
   */
  ProducerRecord<byte[], byte[]> of(Delivery<byte[]> delivery) {
    try {
      String name = topic.apply(delivery);
      if (name == null || name.isEmpty()) {
        throw new RefusedException("The function of the topic returned no topic", null);
      }
      return new ProducerRecord<>(
          name, null, null, key.apply(delivery), delivery.payload(), headers(delivery));
    } catch (RefusedException e) {
      throw e;
    } catch (RuntimeException | Error e) {
      throw new RefusedException("The function of the topic or of the key failed: " + e, e);
    }
  }

  private static List<Header> headers(Delivery<byte[]> delivery) {
    List<Header> headers = new ArrayList<>();
    delivery
        .headers()
        .forEach(
            (name, value) -> {
              if (!TraceHeaders.includes(name)) {
                headers.add(header(name, value));
              }
            });
    headers.add(header(KafkaBridge.ID_HEADER, delivery.id()));
    headers.add(header(KafkaBridge.ATTEMPT_HEADER, Integer.toString(delivery.attempt())));
    headers.add(header(KafkaBridge.DUE_HEADER, Long.toString(delivery.dueAt().toEpochMilli())));
    return headers;
  }

  private static Header header(String name, String value) {
    return new RecordHeader(name, value.getBytes(UTF_8));
  }
}
