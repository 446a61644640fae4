package io.punctual.internal.message;

import io.punctual.spi.DueTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The header that stores for how long the id of a message is remembered after its ack. It is part
 * of the stored content, so every store and every copy keeps it, and the client that acks the
 * message reads it. Users neither see nor set it. Stateless.
 */
public final class RememberHeader {
  /** The name; the value is a number of milliseconds. */
  static final String NAME = "punctual-remember";

  private RememberHeader() {}

  /** Returns the milliseconds in stored headers, or 0 if the id is not remembered. */
  public static long millis(Map<String, String> stored) {
    String text = stored.get(NAME);
    try {
      return text == null ? 0 : Math.max(0, Long.parseLong(text));
    } catch (NumberFormatException damaged) {
      return 0;
    }
  }

  /** Returns the time in stored headers, or empty if the id is not remembered. */
  public static Optional<Duration> time(Map<String, String> stored) {
    long millis = millis(stored);
    return millis == 0 ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
  }

  /** Returns headers with a time, or unchanged headers if the time is null; unmodifiable. */
  public static Map<String, String> with(Map<String, String> headers, @Nullable Duration time) {
    return time == null
        ? Map.copyOf(headers)
        : with(headers, Long.toString(DueTime.delayMillis(time)));
  }

  /**
   * Returns {@code headers} with the time in {@code stored} for which the id is remembered, if
   * there is one; unmodifiable.
   */
  public static Map<String, String> withTimeOf(
      Map<String, String> stored, Map<String, String> headers) {
    String text = stored.get(NAME);
    return text == null ? Map.copyOf(headers) : with(headers, text);
  }

  private static Map<String, String> with(Map<String, String> headers, String text) {
    Map<String, String> more = new HashMap<>(headers);
    more.put(NAME, text);
    return Map.copyOf(more);
  }

  /** Rejects the reserved header of a user, a codec or an interceptor. */
  static void requireNone(Map<String, String> ofUser) {
    if (ofUser.containsKey(NAME)) {
      throw new IllegalArgumentException(
          "The header '" + NAME + "' is reserved; use Message.rememberFor instead");
    }
  }
}
