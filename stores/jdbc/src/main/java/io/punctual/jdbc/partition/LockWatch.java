package io.punctual.jdbc.partition;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells the locks of an open transaction from the locks of calls. The database does not reveal who
 * holds a lock, but a call holds it for a short time only, and most calls change the message. The
 * watch compares the messages of a call that was refused a lock, each time the call is repeated. A
 * message that stays locked and unchanged for long enough belongs to an open transaction. For a
 * single thread.
 */
final class LockWatch {
  private final int minReadings;
  private final long patienceNanos;
  private final LongSupplier clock;
  private final Map<String, Seen> seen = new HashMap<>();
  private boolean hasBegun;
  private long beganNanos;

  /**
   * Creates a watch.
   *
   * @param minReadings how many readings in a row must find a message unchanged
   * @param patienceNanos how long a message must stay unchanged
   * @param clock a clock like {@link System#nanoTime}
   */
  LockWatch(int minReadings, long patienceNanos, LongSupplier clock) {
    this.minReadings = minReadings;
    this.patienceNanos = patienceNanos;
    this.clock = clock;
  }

  /** The version of a message, null if it is absent, and the readings that found this version. */
  private static final class Seen {
    final @Nullable String version;
    final long firstNanos;
    int readings = 1;

    Seen(@Nullable String version, long firstNanos) {
      this.version = version;
      this.firstNanos = firstNanos;
    }
  }

  /** Forgets all readings. */
  void restart() {
    seen.clear();
    hasBegun = false;
  }

  /** Notes the committed versions of the messages, by id. Absent messages have no version. */
  void read(Iterable<String> ids, Map<String, String> versions) {
    long now = clock.getAsLong();
    if (!hasBegun) {
      hasBegun = true;
      beganNanos = now;
    }
    for (String id : ids) {
      Seen before = seen.get(id);
      String version = versions.get(id);
      if (before != null && Objects.equals(before.version, version)) {
        before.readings++;
      } else {
        seen.put(id, new Seen(version, now));
      }
    }
  }

  /** Returns whether the first reading was long enough ago to find unchanged messages. */
  boolean isRipe() {
    return hasBegun && clock.getAsLong() - beganNanos >= patienceNanos;
  }

  /** Returns whether a locked message has stayed unchanged for long enough. */
  boolean isHeld(String id) {
    Seen last = seen.get(id);
    return last != null
        && last.readings >= minReadings
        && clock.getAsLong() - last.firstNanos >= patienceNanos;
  }

  /** Returns whether a message has changed since the first reading. */
  boolean hasChanged(String id) {
    Seen last = seen.get(id);
    return last != null && last.firstNanos != beganNanos;
  }
}
