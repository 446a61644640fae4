package io.punctual.internal.message;

import io.punctual.Recurrence;
import io.punctual.RecurrenceException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the recurrences of stored messages with their timetables, because parsing a cron expression
 * takes longer than computing its next occurrence. Keeps the recurrences that were used last: when
 * the younger half is full, it becomes the older half, and the previous older half is forgotten.
 * Safe for use by many threads.
 */
public final class Recurrences {
  /** The number of recurrences in a half. */
  private static final int HALF = 5_000;

  private volatile Map<String, Recurrence> younger = new ConcurrentHashMap<>();
  private volatile Map<String, Recurrence> older = Map.of();

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
    Recurrence known = younger.get(text);
    if (known == null) {
      known = older.get(text);
      known = known == null ? Recurrence.parse(text) : known;
      add(text, known);
    }
    return known;
  }

  private synchronized void add(String text, Recurrence recurrence) {
    if (younger.size() >= HALF) {
      older = younger;
      younger = new ConcurrentHashMap<>();
    }
    younger.put(text, recurrence);
  }
}
