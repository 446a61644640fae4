package io.punctual.cli.transfer;

import io.punctual.Delivery;
import io.punctual.cli.input.Payload;
import io.punctual.cli.output.Json;
import io.punctual.cli.output.Numbers;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import tools.jackson.core.JsonGenerator;

/** Writes a delivery as a line of JSON. */
final class DeliveryLine {
  private DeliveryLine() {}

  static byte[] of(Delivery<byte[]> delivery) {
    StringWriter line = new StringWriter(256);
    try (JsonGenerator json = Json.generator(line)) {
      json.writeStartObject();
      json.writeStringProperty("id", delivery.id());
      json.writeStringProperty("dueAt", Json.instant(delivery.dueAt()));
      json.writeStringProperty("deliveredAt", Json.instant(deliveredAt(delivery)));
      json.writeNumberProperty("latenessMillis", Numbers.millis(delivery.lateness()));
      json.writeNumberProperty("attempt", delivery.attempt());
      json.writeObjectPropertyStart("headers");
      delivery.headers().forEach(json::writeStringProperty);
      json.writeEndObject();
      Payload.write(json, delivery.payload());
      json.writeEndObject();
    }
    return line.append('\n').toString().getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the payload and a line feed, without the other fields of the delivery. */
  static byte[] payload(Delivery<byte[]> delivery) {
    byte[] payload = delivery.payload();
    byte[] line = Arrays.copyOf(payload, payload.length + 1);
    line[payload.length] = '\n';
    return line;
  }

  /**
   * Returns the due time plus the lateness, by the store's clock. The lateness is capped at 292
   * years; if the message was due more than 292 years before the claim, returns the time of the
   * claim.
   */
  private static Instant deliveredAt(Delivery<byte[]> delivery) {
    Instant delivered = delivery.dueAt().plus(delivery.lateness());
    Instant claimed = delivery.claimedAt();
    return (delivered.isBefore(claimed) ? claimed : delivered).truncatedTo(ChronoUnit.MILLIS);
  }
}
