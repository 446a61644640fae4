package io.punctual.journal.partition;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * How long messages without a readable id are postponed: a second at first, because a read error
 * can heal, then twice as long each time, up to ten minutes. For the journal's thread alone.
 */
final class Postponements {
  private static final long FIRST_MILLIS = TimeUnit.SECONDS.toMillis(1);
  private static final long LONGEST_MILLIS = TimeUnit.MINUTES.toMillis(10);

  /** The last postponement of each slot whose message could not be read. */
  private final Map<Integer, Long> millis = new HashMap<>();

  long next(int slot) {
    return millis.merge(slot, FIRST_MILLIS, (last, first) -> Math.min(2 * last, LONGEST_MILLIS));
  }

  /** Notes that the message in a slot was read. */
  void end(int slot) {
    if (!millis.isEmpty()) {
      millis.remove(slot);
    }
  }
}
