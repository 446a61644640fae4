package io.punctual.task;

import io.punctual.Limits;
import io.punctual.TimedQueue;
import java.time.Duration;

/** A change of waiting messages: {@link TimedQueue#change}. Immutable. */
public sealed interface MessageChange {
  /** Removes a message, like {@link TimedQueue#cancel}. */
  record Cancel() implements MessageChange {}

  /**
   * Makes a scheduled message due now, like {@link TimedQueue#runNow}. Messages that are due
   * already do not match.
   */
  record RunNow() implements MessageChange {}

  /**
   * Adds a time to the due time of a message.
   *
   * @param by the time; negative for an earlier due time. Fractions of a millisecond have no effect
   */
  record Shift(Duration by) implements MessageChange {
    /**
     * Creates a shift.
     *
     * @throws IllegalArgumentException if the time is less than a millisecond in both directions,
     *     or {@link Limits#DAYS} or more
     */
    public Shift {
      if (Math.abs(by.toDays()) >= Limits.DAYS || by.toMillis() == 0) {
        throw new IllegalArgumentException(
            "A shift is a millisecond or more, and shorter than "
                + Limits.DAYS
                + " days, but was "
                + by);
      }
    }
  }

  /** Returns a change that removes messages. */
  static MessageChange cancel() {
    return new Cancel();
  }

  /** Returns a change that makes scheduled messages due now. */
  static MessageChange runNow() {
    return new RunNow();
  }

  /** Returns a change that adds a time to the due times; a negative time makes them earlier. */
  static MessageChange shift(Duration by) {
    return new Shift(by);
  }
}
