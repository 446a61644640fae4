package io.punctual.webhook;

import io.punctual.Delivery;
import io.punctual.http.webhook.WebhookSpec;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The ids of calls: the id of the message, with the queue if the target has several, and with the
 * occurrence if the message is recurring. A signature joins the id to other parts by dots, so every
 * byte but letters, digits, dashes and underscores is written as {@code %XX}.
 */
final class WebhookIds {
  private WebhookIds() {}

  static String of(WebhookSpec spec, Delivery<?> delivery) {
    StringBuilder id = new StringBuilder();
    if (spec.isPrefix()) {
      append(delivery.queue(), id);
      id.append(':');
    }
    append(delivery.id(), id);
    if (delivery.recurrence().isPresent()) {
      id.append(':').append(delivery.occurrence().toEpochMilli());
    }
    return id.toString();
  }

  private static void append(String text, StringBuilder to) {
    for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (each & 0xff);
      boolean isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      boolean isPlain = isLetter || (c >= '0' && c <= '9') || c == '-' || c == '_';
      if (isPlain) {
        to.append(c);
      } else {
        to.append(String.format(Locale.ROOT, "%%%02X", (int) c));
      }
    }
  }
}
