package io.punctual.internal.message;

import io.punctual.Limits;
import io.punctual.spi.DueTime;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

/** Checks arguments, for example against the {@link Limits}, before anything is sent. */
public final class Checks {
  private static final Duration MILLISECOND = Duration.ofMillis(1);

  private Checks() {}

  public static void queueName(String name) {
    int length = name.length();
    if (length == 0 || length > Limits.QUEUE_NAME_LENGTH || !name.chars().allMatch(Checks::named)) {
      throw new IllegalArgumentException(
          "A queue's name has 1 to "
              + Limits.QUEUE_NAME_LENGTH
              + " characters, which are letters, digits, dot, dash or underscore; it was '"
              + name
              + "'");
    }
  }

  private static boolean named(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '.'
        || c == '-'
        || c == '_';
  }

  /** Rejects an id that is empty, too long, or not valid UTF-16. */
  public static void id(String id) {
    int bytes = utf8Length(id, "An id");
    if (bytes == 0 || bytes > Limits.ID_BYTES) {
      throw new IllegalArgumentException(
          "An id has 1 to " + Limits.ID_BYTES + " bytes of UTF-8; it had " + bytes);
    }
  }

  /** Rejects a text that is too long, has control characters, or is not valid UTF-16. */
  public static void line(String text, int maxBytes, String what) {
    int bytes = utf8Length(text, what);
    if (bytes > maxBytes) {
      throw new IllegalArgumentException(
          what + " has up to " + maxBytes + " bytes of UTF-8; it had " + bytes);
    }
    if (text.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(what + " must be one line without control characters");
    }
  }

  /** Rejects a name that is empty, too long, has control characters, or is not valid UTF-16. */
  public static void name(String name, String what) {
    line(name, 256, what);
    if (name.isEmpty()) {
      throw new IllegalArgumentException(what + " must not be empty");
    }
  }

  /** Rejects a payload beyond the default limit. */
  public static void payload(byte[] payload) {
    if (payload.length > Limits.DEFAULT_PAYLOAD_BYTES) {
      throw new IllegalArgumentException(
          "A payload has up to "
              + Limits.DEFAULT_PAYLOAD_BYTES
              + " bytes unless the client raises the limit; it had "
              + payload.length);
    }
  }

  public static void payload(byte[] payload, int limit, String queue) {
    if (payload.length > limit) {
      throw new IllegalArgumentException(
          "The payload has "
              + payload.length
              + " bytes, and queue '"
              + queue
              + "' takes up to "
              + limit
              + ". Send less, or raise the client's payloadLimit");
    }
  }

  /** Rejects headers of a user that are reserved, too many, too long, or not valid UTF-16. */
  public static void headers(Map<String, String> headers) {
    RecurrenceHeaders.requireNone(headers);
    RememberHeader.requireNone(headers);
    if (headers.size() > Limits.HEADERS) {
      throw new IllegalArgumentException(
          "A message can have " + Limits.HEADERS + " headers, but had " + headers.size());
    }
    int bytes = 0;
    for (Map.Entry<String, String> header : headers.entrySet()) {
      bytes += utf8Length(header.getKey(), "A header's name");
      bytes += utf8Length(header.getValue(), "A header");
    }
    if (bytes > Limits.HEADER_BYTES) {
      throw new IllegalArgumentException(
          "The headers can have " + Limits.HEADER_BYTES + " bytes together, but had " + bytes);
    }
  }

  /**
   * Returns a lease in milliseconds; rejects a lease that is not positive, or not shorter than
   * {@link Limits#DAYS}.
   */
  public static long lease(Duration lease) {
    long millis = DueTime.delayMillis(lease);
    if (millis < 1) {
      throw new IllegalArgumentException("A lease must be positive, but was " + lease);
    }
    return millis;
  }

  /**
   * Returns a time-out; rejects a time-out that is below a millisecond, or not shorter than {@link
   * Limits#DAYS}.
   */
  public static Duration timeout(Duration time, String name) {
    if (DueTime.delayMillis(time) < 1 || time.compareTo(MILLISECOND) < 0) {
      throw new IllegalArgumentException(name + " must be at least a millisecond, but was " + time);
    }
    return time;
  }

  /** Rejects a limit of attempts that is out of range. */
  public static int attempts(int limit) {
    range(limit, 1, 1_000_000, "maxAttempts");
    return limit;
  }

  public static void page(int limit) {
    range(limit, 1, 1000, "limit");
  }

  public static void range(int value, int min, int max, String name) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + " must be between " + min + " and " + max + ", but was " + value);
    }
  }

  private static int utf8Length(String text, String what) {
    if (isAscii(text)) {
      return text.length();
    }
    CharsetEncoder encoder = StandardCharsets.UTF_8.newEncoder();
    try {
      return encoder.encode(CharBuffer.wrap(text)).remaining();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(what + " has a lone surrogate; it is not valid text", e);
    }
  }

  private static boolean isAscii(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) >= 128) {
        return false;
      }
    }
    return true;
  }
}
