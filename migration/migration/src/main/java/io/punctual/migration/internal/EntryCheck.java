package io.punctual.migration.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

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
  private static final int LARGEST_ID = 256;

  /** Returns why a message cannot have this id, or null if it can. */
  public static @Nullable String idProblem(String id) {
    int length = id.getBytes(UTF_8).length;
    return length >= 1 && length <= LARGEST_ID
        ? null
        : "Its id has " + length + " bytes; ids have 1 to " + LARGEST_ID;
  }

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
