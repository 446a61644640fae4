package io.punctual.internal.message;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The headers that store the recurrence of a message. They are part of the stored content, so that
 * every store and every copy keeps them. Users neither see nor set them. Stateless.
 */
public final class RecurrenceHeaders {
  /** The header with the text of the recurrence. */
  static final String RECURRENCE = "punctual-recurrence";

  /**
   * The header with the planned time of an occurrence that was deferred, in milliseconds from 1970.
   */
  static final String OCCURRENCE = "punctual-occurrence";

  private RecurrenceHeaders() {}

  /** Returns the text of the stored recurrence, or null if the message is not recurring. */
  public static @Nullable String text(Map<String, String> stored) {
    return stored.get(RECURRENCE);
  }

  /**
   * Returns the stored time of the occurrence in milliseconds; empty if there is none, or if it
   * can't be read.
   */
  public static OptionalLong occurrence(Map<String, String> stored) {
    String text = stored.get(OCCURRENCE);
    try {
      return text == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(text));
    } catch (NumberFormatException damaged) {
      return OptionalLong.empty();
    }
  }

  /** Returns the headers of the user, without the reserved headers; unmodifiable. */
  public static Map<String, String> ofUser(Map<String, String> stored) {
    if (!stored.containsKey(RECURRENCE)
        && !stored.containsKey(OCCURRENCE)
        && !stored.containsKey(RememberHeader.NAME)) {
      return stored;
    }
    Map<String, String> rest = new HashMap<>(stored);
    rest.remove(RECURRENCE);
    rest.remove(OCCURRENCE);
    rest.remove(RememberHeader.NAME);
    return Map.copyOf(rest);
  }

  /**
   * Returns headers with the text of a recurrence, or without a recurrence if it is null;
   * unmodifiable.
   */
  public static Map<String, String> with(Map<String, String> ofUser, @Nullable String text) {
    if (text == null) {
      return Map.copyOf(ofUser);
    }
    Map<String, String> more = new HashMap<>(ofUser);
    more.put(RECURRENCE, text);
    return Map.copyOf(more);
  }

  /**
   * Returns {@code ofUser} with the recurrence in {@code stored}, if there is one; unmodifiable.
   */
  public static Map<String, String> withTextOf(
      Map<String, String> stored, Map<String, String> ofUser) {
    return with(ofUser, text(stored));
  }

  /** Returns stored headers with the time of the occurrence; unmodifiable. */
  public static Map<String, String> withOccurrence(Map<String, String> stored, long millis) {
    Map<String, String> more = new HashMap<>(stored);
    more.put(OCCURRENCE, Long.toString(millis));
    return Map.copyOf(more);
  }

  /** Returns stored headers without the time of an occurrence; unmodifiable. */
  public static Map<String, String> withoutOccurrence(Map<String, String> stored) {
    Map<String, String> rest = new HashMap<>(stored);
    rest.remove(OCCURRENCE);
    return Map.copyOf(rest);
  }

  /** Rejects a reserved header of a user, a codec or an interceptor. */
  public static void requireNone(Map<String, String> ofUser) {
    if (ofUser.containsKey(RECURRENCE) || ofUser.containsKey(OCCURRENCE)) {
      throw new IllegalArgumentException(
          "The headers '"
              + RECURRENCE
              + "' and '"
              + OCCURRENCE
              + "' are reserved; use Message.recurring instead");
    }
  }
}
