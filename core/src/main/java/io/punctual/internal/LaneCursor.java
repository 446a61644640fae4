package io.punctual.internal;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Where a listing over all lanes of a queue stands: lane after lane. Immutable. */
record LaneCursor(int lane, @Nullable String cursor) {
  static LaneCursor parse(Optional<String> text, int lanes) {
    if (text.isEmpty()) {
      return new LaneCursor(0, null);
    }
    String given = text.get();
    int colon = given.indexOf(':');
    try {
      int lane = Integer.parseInt(given.substring(0, Math.max(0, colon)));
      if (lane >= 0 && lane < lanes) {
        String rest = given.substring(colon + 1);
        return new LaneCursor(lane, rest.isEmpty() ? null : rest);
      }
    } catch (NumberFormatException e) {
      throw notOne(given, e);
    }
    throw notOne(given, null);
  }

  private static IllegalArgumentException notOne(String given, @Nullable Exception cause) {
    return new IllegalArgumentException(
        "'" + given + "' is not a cursor of this queue; pass the 'next' of a page", cause);
  }

  /** Returns the cursor of what comes after a page that ended with {@code next} in this lane. */
  Optional<String> after(@Nullable String next, int lanes) {
    if (next != null) {
      return Optional.of(lane + ":" + next);
    }
    return lane + 1 < lanes ? Optional.of((lane + 1) + ":") : Optional.empty();
  }
}
