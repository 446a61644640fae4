package io.punctual.internal.message;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a delivery that a settlement by a different process needs. The text has the fencing
 * token and the attempt, for example {@code 4711.2}, and a letter for each flag: {@code 4711.2rf}.
 * Immutable.
 *
 * @param fencingToken the fencing token of the delivery's lease
 * @param attempt the number of the delivery, from 1
 * @param hasRules whether headers of the message decide about the effect of an ack or a deferral:
 *     the message is recurring, or its id is remembered
 * @param hasFailures whether earlier attempts have left failures, which a retry or a burial keeps
 */
public record DeliveryToken(long fencingToken, int attempt, boolean hasRules, boolean hasFailures) {
  private static final Pattern TEXT = Pattern.compile("(-?\\d{1,19})\\.(\\d{1,10})(r?)(f?)");

  /**
   * Parses the result of {@link #text}.
   *
   * @throws IllegalArgumentException if the text is not the token of a delivery
   */
  public static DeliveryToken parse(String text) {
    Matcher parts = TEXT.matcher(text);
    if (!parts.matches()) {
      throw notOne(text, null);
    }
    try {
      return new DeliveryToken(
          Long.parseLong(parts.group(1)),
          Integer.parseInt(parts.group(2)),
          !parts.group(3).isEmpty(),
          !parts.group(4).isEmpty());
    } catch (NumberFormatException tooLarge) {
      throw notOne(text, tooLarge);
    }
  }

  private static IllegalArgumentException notOne(String text, @Nullable Exception cause) {
    return new IllegalArgumentException(
        "'"
            + FailureLog.cut(text, 100)
            + "' is not the token of a delivery; pass the token of Delivery.receipt",
        cause);
  }

  /** Returns a text of ASCII letters, digits, dot and dash, 33 characters at most. */
  public String text() {
    return fencingToken + "." + attempt + (hasRules ? "r" : "") + (hasFailures ? "f" : "");
  }
}
