package io.punctual.internal.message;

import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.spi.Entry;
import io.punctual.spi.TimeRange;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Compares dead letters with a filter. The limit of the filter has no effect. Stateless. */
public final class DeadLetterMatch {
  private DeadLetterMatch() {}

  /** Returns the times of death of a filter, for listings. */
  public static TimeRange range(DeadLetterFilter filter) {
    return TimeRange.of(filter.diedFrom(), filter.diedBefore());
  }

  /** Returns the failure of a dead letter that matches, or null if it does not match. */
  public static @Nullable FailureSummary of(DeadLetterFilter filter, Entry entry) {
    Instant died = Instant.ofEpochMilli(entry.diedAtMillis());
    if (died.isBefore(filter.diedFrom())
        || !died.isBefore(filter.diedBefore())
        || !entry.id().startsWith(filter.idPrefix())) {
      return null;
    }
    FailureSummary failure = FailureSummary.of(entry.history());
    boolean matches =
        (filter.reason().isEmpty() || filter.reason().get() == failure.reason())
            && failure.failure().contains(filter.failure())
            && (filter.group().isEmpty() || filter.group().get().equals(failure.key()));
    return matches ? failure : null;
  }
}
