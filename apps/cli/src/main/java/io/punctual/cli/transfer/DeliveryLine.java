package io.punctual.cli.transfer;

import io.punctual.Delivery;
import io.punctual.cli.output.Json;
import io.punctual.view.DeliveryView;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes a delivery as a line of JSON. */
final class DeliveryLine {
  private DeliveryLine() {}

  static byte[] of(Delivery<byte[]> delivery) {
    return (Json.object(DeliveryView.of(delivery)) + '\n').getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the payload and a line feed, without the other fields of the delivery. */
  static byte[] payload(Delivery<byte[]> delivery) {
    byte[] payload = delivery.payload();
    byte[] line = Arrays.copyOf(payload, payload.length + 1);
    line[payload.length] = '\n';
    return line;
  }
}
