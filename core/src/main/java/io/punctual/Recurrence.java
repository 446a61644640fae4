package io.punctual;

import io.punctual.internal.message.RecurrenceText;
import io.punctual.internal.message.Timetables;
import io.punctual.spi.RecurrenceProvider;
import io.punctual.spi.Timetable;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The times at which a recurring message is delivered again; see {@link Message#recurring}. The
 * store keeps the recurrence with the message. So the process that settles an occurrence can
 * schedule the next occurrence in the same step. Immutable.
 *
 * <p>The next occurrence counts from the planned time of the current occurrence, and not from the
 * time of its retries or its processing, so that the rhythm does not drift. By default, occurrences
 * whose times have passed in the meantime are skipped; {@link #catchUp} delivers them. By default,
 * an occurrence whose attempts are exhausted is logged and reported, and the recurrence continues
 * with the next occurrence; {@link #stopOnFailure} makes the message a dead letter instead.
 *
 * <p>A kind names the rule of a recurrence, and a {@link RecurrenceProvider} on the class path
 * implements the kind. The core has the kind {@value #EVERY}; module punctual-cron has {@code
 * cron}.
 */
public final class Recurrence {
  /** The kind of {@link #every}. */
  public static final String EVERY = RecurrenceText.EVERY;

  /** The largest length of an expression, in characters. */
  public static final int EXPRESSION_LENGTH = RecurrenceText.EXPRESSION_LENGTH;

  private final RecurrenceText text;

  /** Computes the occurrences; null until it is first needed. */
  private volatile @Nullable Timetable timetable;

  private Recurrence(RecurrenceText text, @Nullable Timetable timetable) {
    this.text = text;
    this.timetable = timetable;
  }

  /**
   * Returns a recurrence with this interval.
   *
   * @param interval whole milliseconds, from 1 millisecond to less than {@link Limits#DAYS}
   */
  public static Recurrence every(Duration interval) {
    return new Recurrence(RecurrenceText.every(interval), null);
  }

  /**
   * Returns a recurrence of any kind, for modules that implement a kind. The expression is not
   * checked here: a process without the module can pass the recurrence on.
   *
   * @param kind a lower-case letter, then up to 31 lower-case letters, digits and dashes
   * @param expression 1 to {@link #EXPRESSION_LENGTH} characters of printable ASCII; its meaning
   *     depends on the kind
   */
  public static Recurrence of(String kind, String expression) {
    return new Recurrence(RecurrenceText.of(kind, expression), null);
  }

  /**
   * Returns a recurrence like {@link #of(String, String)}, with the timetable of its expression, so
   * that the provider need not parse the expression again.
   */
  public static Recurrence of(String kind, String expression, Timetable timetable) {
    return new Recurrence(
        RecurrenceText.of(kind, expression), Objects.requireNonNull(timetable, "timetable"));
  }

  /**
   * Returns the recurrence of a text that {@link #text} has returned, maybe in a different process.
   *
   * @throws RecurrenceException if the text does not have the form of {@link #text}, or a later
   *     version of Punctual wrote it
   */
  public static Recurrence parse(String text) {
    return new Recurrence(RecurrenceText.parse(text), null);
  }

  /**
   * Returns a copy that delivers missed occurrences one after another, instead of skipping them. An
   * occurrence is missed if its time passes before its predecessor was processed.
   */
  public Recurrence catchUp() {
    return new Recurrence(
        new RecurrenceText(kind(), expression(), true, stopsOnFailure()), timetable);
  }

  /**
   * Returns a copy that stops when an occurrence fails: the message becomes a dead letter when its
   * attempts are exhausted. A redrive of the dead letter continues the recurrence.
   */
  public Recurrence stopOnFailure() {
    return new Recurrence(new RecurrenceText(kind(), expression(), catchesUp(), true), timetable);
  }

  /** Returns the kind, for example {@value #EVERY}. */
  public String kind() {
    return text.kind();
  }

  /** Returns the expression, whose meaning depends on the kind. */
  public String expression() {
    return text.expression();
  }

  /** Returns whether missed occurrences are delivered. */
  public boolean catchesUp() {
    return text.catchesUp();
  }

  /** Returns whether the message becomes a dead letter when an occurrence fails. */
  public boolean stopsOnFailure() {
    return text.stopsOnFailure();
  }

  /**
   * Returns the occurrence that follows this occurrence, or empty if none follows. The result is
   * later than {@code occurrence}, and, unless this recurrence {@link #catchesUp}, not earlier than
   * {@code now}.
   *
   * @throws RecurrenceException if no provider of the kind is on the class path, or the provider
   *     rejects the expression or fails
   * @throws IllegalArgumentException if a time is more than 292 million years from 1970
   */
  public Optional<Instant> next(Instant occurrence, Instant now) {
    requireMillis(occurrence, "occurrence");
    requireMillis(now, "now");
    Instant lastMissed = now.minusMillis(1);
    Instant after = catchesUp() || lastMissed.isBefore(occurrence) ? occurrence : lastMissed;
    return Timetables.next(text, timetable(), occurrence, after);
  }

  private static void requireMillis(Instant time, String name) {
    try {
      long unused = time.toEpochMilli();
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          name + " must be within 292 million years of 1970, but was " + time, e);
    }
  }

  /**
   * Returns the first occurrence of a message that is scheduled now without a due time, or empty if
   * the message is due at once.
   *
   * @throws RecurrenceException for the same reasons as in {@link #next}
   * @throws IllegalArgumentException if the recurrence has no occurrence from now on
   * @see Timetable#first
   */
  public Optional<Instant> first(Instant now) {
    return Timetables.first(text, timetable(), now);
  }

  private Timetable timetable() {
    Timetable found = timetable;
    if (found == null) {
      found = Timetables.of(text);
      timetable = found;
    }
    return found;
  }

  /** Returns the text form, which {@link #parse} reads: printable ASCII without a line break. */
  public String text() {
    return text.toText();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Recurrence that && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  /** Returns a text for people, for example {@code every PT1H, catch-up}. */
  @Override
  public String toString() {
    return text.toString();
  }
}
