package io.punctual;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * When a message is due: after a delay, or at an instant. A delay counts from the moment at which
 * the store executes the operation, for example a schedule, so that the caller's clock has no
 * effect. An instant is compared with the store's clock. Both are rounded up to whole milliseconds,
 * so that a message is never early; without a delay, it is due at once. Immutable.
 */
public sealed interface Due {
  /** Due once {@code delay} has passed since the store executed the operation. */
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

  /** Returns the due time "now". */
  static Due now() {
    return new After(Duration.ZERO);
  }

  /** Returns a due time after this delay; a negative delay means now. */
  static Due after(Duration delay) {
    return new After(delay);
  }

  /** Returns a due time at this instant; a past instant means now. */
  static Due at(Instant instant) {
    return new At(instant);
  }
}
