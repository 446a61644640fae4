package io.punctual.cli.transfer;

import io.punctual.Delivery;
import io.punctual.cli.output.Console;
import io.punctual.cli.output.Json;
import io.punctual.view.DeliveryView;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Function;

/** Writes a delivery as a line of JSON. */
final class DeliveryLine {
  private DeliveryLine() {}

  /** Returns the form of lines on this console. */
  static Function<Delivery<byte[]>, byte[]> on(Console console) {
    return delivery ->
        (console.shownJson(Json.object(DeliveryView.of(delivery))) + '\n')
            .getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the payload and a line feed, without the other fields of the delivery. */
  static byte[] payload(Delivery<byte[]> delivery) {
    byte[] payload = delivery.payload();
    byte[] line = Arrays.copyOf(payload, payload.length + 1);
    line[payload.length] = '\n';
    return line;
  }
}
