package io.punctual.migration.internal;

import io.punctual.migration.PayloadReader;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether an entry can become a message, before the entry leaves the old queue. Safe for use
 * by many threads if the reader is.
 *
 * @param payloads reads payloads
 */
public record EntryCheck(PayloadReader<?> payloads) {
  /** Returns why the entry cannot become a message, or null if it can. */
  public @Nullable String problem(ImportEntry entry) {
    if (entry.problem() != null) {
      return entry.problem();
    }
    if (entry.dueMillis() >= ImportRun.HELD.toEpochMilli()) {
      return "It is due after " + ImportRun.HELD;
    }
    try {
      Object unused = Objects.requireNonNull(payloads.read(entry.payload()), "payload");
      return null;
    } catch (Exception e) {
      return unreadable(e);
    }
  }

  static String unreadable(Exception failure) {
    return "Its payload can't be read: " + failure.getMessage();
  }
}
