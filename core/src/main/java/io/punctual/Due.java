package io.punctual;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * When a message is due: after a delay, or at an instant. A delay travels to the store as a delay
 * and counts from the moment the store carries the schedule out, so the caller's clock does not
 * matter; an instant is compared with the store's clock. Both are rounded up to whole milliseconds,
 * so that a message is never early. Immutable.
 */
public sealed interface Due {
  /** Due once {@code delay} has passed, counted by the store. */
  record After(Duration delay) implements Due {
    /** Rejects null. */
    public After {
      Objects.requireNonNull(delay, "delay");
    }
  }

  /** Due at {@code instant} by the store's clock. */
  record At(Instant instant) implements Due {
    /** Rejects null. */
    public At {
      Objects.requireNonNull(instant, "instant");
    }
  }

  /** Returns "at once". */
  static Due now() {
    return new After(Duration.ZERO);
  }

  /** Returns "once this delay has passed"; a negative one means at once. */
  static Due in(Duration delay) {
    return new After(delay);
  }

  /** Returns "at this instant"; a past one means at once. */
  static Due at(Instant instant) {
    return new At(instant);
  }
}
