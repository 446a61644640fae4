package io.punctual.internal.message;

import io.punctual.Recurrence;
import io.punctual.RecurrenceException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the recurrences of stored messages with their timetables, because parsing a cron expression
 * takes longer than computing its next occurrence. Bounded. Safe for use by many threads.
 */
public final class Recurrences {
  private static final int KEPT = 10_000;

  private final Map<String, Recurrence> byText = new ConcurrentHashMap<>();

  /**
   * Returns the recurrence in stored headers, or null if they have none.
   *
   * @throws RecurrenceException if the recurrence can't be read
   */
  public @Nullable Recurrence of(Map<String, String> stored) {
    String text = RecurrenceHeaders.text(stored);
    if (text == null) {
      return null;
    }
    Recurrence known = byText.get(text);
    if (known != null) {
      return known;
    }
    Recurrence parsed = Recurrence.parse(text);
    if (byText.size() >= KEPT) {
      byText.clear();
    }
    byText.put(text, parsed);
    return parsed;
  }
}
