package io.punctual;

import io.punctual.internal.message.Checks;
import io.punctual.internal.message.DeliveryToken;
import io.punctual.internal.message.FailureLog;
import java.util.Objects;

/**
 * Identifies a delivery, so that any process can settle it: {@link Delivery#receipt} and {@link
 * TimedQueue#settle}. Immutable.
 *
 * @param id the message's id
 * @param token tells the deliveries of a message apart: up to 64 ASCII letters, digits, dots and
 *     dashes. Keep it as it is; its format can change.
 */
public record Receipt(String id, String token) {
  /**
   * Creates a receipt.
   *
   * @throws IllegalArgumentException if the id exceeds the {@link Limits}, or the token is not the
   *     token of a delivery
   */
  public Receipt {
    Checks.id(Objects.requireNonNull(id, "id"));
    DeliveryToken unused = DeliveryToken.parse(Objects.requireNonNull(token, "token"));
  }

  /**
   * Parses the result of {@link #text}.
   *
   * @throws IllegalArgumentException if the text is not a receipt
   */
  public static Receipt parse(String text) {
    int colon = text.indexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException(
          "'" + FailureLog.cut(text, 100) + "' is not a receipt; pass the result of Receipt.text");
    }
    return new Receipt(text.substring(colon + 1), text.substring(0, colon));
  }

  /**
   * Returns the receipt as a text, for a request or a callback: the token, a colon and the
   * message's id; 321 bytes of UTF-8 at most.
   */
  public String text() {
    return token + ":" + id;
  }
}
