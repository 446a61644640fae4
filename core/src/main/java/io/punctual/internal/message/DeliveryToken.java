package io.punctual.internal.message;

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
  /**
   * Parses the result of {@link #text}. Without a regular expression, because each settlement by a
   * receipt has a token.
   *
   * @throws IllegalArgumentException if the text is not the token of a delivery
   */
  public static DeliveryToken parse(String text) {
    int end = text.length();
    boolean hasFailures = text.endsWith("f");
    end -= hasFailures ? 1 : 0;
    boolean hasRules = text.startsWith("r", end - 1);
    end -= hasRules ? 1 : 0;
    int dot = text.indexOf('.');
    int sign = text.startsWith("-") ? 1 : 0;
    if (!isNumber(text, sign, dot) || !isNumber(text, dot + 1, end)) {
      throw notOne(text, null);
    }
    try {
      long fencingToken = Long.parseLong(text, 0, dot, 10);
      int attempt = Integer.parseInt(text, dot + 1, end, 10);
      return new DeliveryToken(fencingToken, attempt, hasRules, hasFailures);
    } catch (NumberFormatException tooLarge) {
      throw notOne(text, tooLarge);
    }
  }

  private static boolean isNumber(String text, int from, int to) {
    for (int i = from; i < to; i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return from < to;
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
