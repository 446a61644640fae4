package io.punctual.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.LongString;
import io.punctual.Limits;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The delay in the header {@code x-delay}, as the delayed-message plugin reads it: a number of
 * milliseconds, as an integer, a decimal number whose fraction is dropped, or a string. A message
 * without a positive delay is due at once. Differences from the plugin:
 *
 * <ul>
 *   <li>The plugin delivers a message with a delay above 2^32 - 1 ms (about 49 days) at once. Here
 *       the message waits for the whole delay.
 *   <li>A delay above {@link #LONGEST} is shortened to {@link #LONGEST}.
 *   <li>A string that is no number makes the plugin fail. Here the message is due at once, and the
 *       intake logs a warning.
 * </ul>
 *
 * @param millis the delay, at most {@link #LONGEST}; zero for a message that is due at once
 * @param fault the text of a warning about the header, or null if there is no warning
 */
record XDelay(long millis, @Nullable String fault) {
  static final String HEADER = "x-delay";

  /** The longest delay: about 820 years, within the limits of every store. */
  static final Duration LONGEST = Duration.ofDays(300_000);

  private static final BigInteger LONGEST_MILLIS = BigInteger.valueOf(LONGEST.toMillis());

  static {
    assert LONGEST.toDays() < Limits.DAYS;
  }

  /** Returns the value of the header, or null if the message has no such header. */
  static @Nullable Object header(AMQP.BasicProperties properties) {
    Map<String, Object> headers = properties.getHeaders();
    return headers == null ? null : headers.get(HEADER);
  }

  /** Reads the value of the header; null means that the message has no such header. */
  static XDelay of(@Nullable Object value) {
    if (value == null) {
      return new XDelay(0, null);
    }
    BigInteger millis = number(value);
    if (millis == null) {
      return new XDelay(0, "is no number of milliseconds, so the message is due at once");
    }
    if (millis.compareTo(LONGEST_MILLIS) > 0) {
      return new XDelay(
          LONGEST.toMillis(), "exceeds the longest delay, so the message is due in " + LONGEST);
    }
    return new XDelay(Math.max(0, millis.max(BigInteger.ZERO).longValueExact()), null);
  }

  private static @Nullable BigInteger number(Object value) {
    try {
      if (value instanceof LongString || value instanceof String) {
        return new BigInteger(value.toString());
      }
      if (value instanceof BigDecimal decimal) {
        return decimal.toBigInteger();
      }
      if (value instanceof Float || value instanceof Double) {
        return BigDecimal.valueOf(((Number) value).doubleValue()).toBigInteger();
      }
      return value instanceof Number integer ? BigInteger.valueOf(integer.longValue()) : null;
    } catch (NumberFormatException e) {
      return null;
    }
  }

  boolean isDelayed() {
    return millis > 0;
  }

  /**
   * Returns the header of the delivered message: the delay with a negative sign. By this sign, a
   * consumer sees that the message was delayed, and a further delayed exchange does not delay the
   * message again.
   */
  Object delivered() {
    boolean isInt = millis <= Integer.MAX_VALUE;
    return isInt ? (Object) Math.toIntExact(-millis) : (Object) (-millis);
  }
}
