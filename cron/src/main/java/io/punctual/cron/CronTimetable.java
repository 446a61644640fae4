package io.punctual.cron;

import io.punctual.spi.Timetable;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The occurrences of a cron expression in a time zone. {@link CronFields} finds the next local time
 * that matches; this class alone applies the rules of the time zone. It looks at the spans between
 * two changes of the clocks, because the offset is constant within a span. Safe for use by many
 * threads.
 */
final class CronTimetable implements Timetable {
  /** The largest number of spans to search: about a thousand years of clock changes. */
  private static final int MOST_SPANS = 2000;

  /** Two instants without an occurrence between them; {@code next} is an occurrence. */
  private record Pause(Instant from, Instant next) {}

  private final CronFields fields;
  private final ZoneRules rules;

  /**
   * The last result, or null before the first search. It saves slow searches, because a worker
   * often asks twice for an occurrence, and messages can share an expression.
   */
  private volatile @Nullable Pause last;

  CronTimetable(CronFields fields, ZoneRules rules) {
    this.fields = fields;
    this.rules = rules;
  }

  /**
   * {@inheritDoc}
   *
   * <p>A cron expression has fixed times, so the current occurrence does not matter.
   */
  @Override
  public Optional<Instant> next(Instant occurrence, Instant after) {
    return next(after);
  }

  @Override
  public Optional<Instant> first(Instant now) {
    return next(now.minusNanos(1));
  }

  private Optional<Instant> next(Instant after) {
    Pause known = last;
    if (known != null && !after.isBefore(known.from) && after.isBefore(known.next)) {
      return Optional.of(known.next);
    }
    Optional<Instant> found = search(after);
    found.ifPresent(next -> last = new Pause(after, next));
    return found;
  }

  private Optional<Instant> search(Instant after) {
    ZoneOffsetTransition change = rules.previousTransition(after.plusNanos(1));
    ZoneOffset offset = rules.getOffset(after);
    LocalDateTime lastPast =
        later(
            LocalDateTime.ofInstant(after, offset).truncatedTo(ChronoUnit.SECONDS),
            change == null || fields.repeats() ? LocalDateTime.MIN : beforeSpan(change));
    for (int span = 0; span < MOST_SPANS; span++) {
      Optional<LocalDateTime> local = fields.next(lastPast);
      if (local.isEmpty()) {
        return Optional.empty();
      }
      Instant next = inSpan(local.get(), offset, change);
      change = rules.nextTransition(change == null ? after : change.getInstant());
      if (change == null || next.isBefore(change.getInstant())) {
        return Optional.of(next);
      }
      offset = change.getOffsetAfter();
      lastPast = beforeSpan(change);
    }
    return Optional.empty();
  }

  /**
   * Returns the last second before the local times that belong to the span after a change of the
   * clocks. For an expression that repeats, the span begins with the local time after the change.
   * For an expression that names times, it begins with the local time before the change: the
   * skipped hour belongs to the span, and the second pass of a repeated hour does not.
   */
  private LocalDateTime beforeSpan(ZoneOffsetTransition change) {
    LocalDateTime first = fields.repeats() ? change.getDateTimeAfter() : change.getDateTimeBefore();
    return first.minusSeconds(1);
  }

  /**
   * Returns the instant of a local time; for a time in a skipped hour, returns the instant of the
   * change.
   */
  private static Instant inSpan(
      LocalDateTime local, ZoneOffset offset, @Nullable ZoneOffsetTransition change) {
    Instant next = local.toInstant(offset);
    return change != null && next.isBefore(change.getInstant()) ? change.getInstant() : next;
  }

  private static LocalDateTime later(LocalDateTime a, LocalDateTime b) {
    return a.isAfter(b) ? a : b;
  }
}
