package io.punctual.internal.message;

import io.punctual.RecurrenceException;
import io.punctual.spi.DueTime;
import io.punctual.spi.RecurrenceProvider;
import io.punctual.spi.Timetable;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.TreeSet;

/** Finds the timetables of recurrences, and checks their results. Stateless. */
public final class Timetables {
  private Timetables() {}

  /**
   * Returns the first occurrence after {@code after} in the rhythm to which {@code occurrence}
   * belongs, or empty if none follows within the range of due times.
   *
   * @throws RecurrenceException if the timetable fails, or returns a time that is too early
   */
  public static Optional<Instant> next(
      RecurrenceText recurrence, Timetable timetable, Instant occurrence, Instant after) {
    Optional<Instant> next;
    try {
      next = timetable.next(occurrence, after);
    } catch (Throwable e) {
      throw failed(recurrence, e);
    }
    if (next.isPresent() && !next.get().isAfter(after)) {
      throw new RecurrenceException(
          "The provider of the recurrence '"
              + recurrence
              + "' returned "
              + next.get()
              + ", which is not after "
              + after
              + "; fix the provider");
    }
    return next.filter(Timetables::isInRange);
  }

  /**
   * Returns the first occurrence of a message without a due time, or empty if it is due at once.
   *
   * @throws RecurrenceException if the timetable fails
   * @throws IllegalArgumentException if there is no occurrence
   */
  public static Optional<Instant> first(
      RecurrenceText recurrence, Timetable timetable, Instant now) {
    try {
      return timetable.first(now);
    } catch (IllegalArgumentException e) {
      throw e;
    } catch (Throwable e) {
      throw failed(recurrence, e);
    }
  }

  private static boolean isInRange(Instant next) {
    try {
      long unused = DueTime.instantMillis(next);
      return true;
    } catch (IllegalArgumentException beyondTheLimit) {
      return false;
    }
  }

  /**
   * Returns the timetable of a recurrence.
   *
   * @throws RecurrenceException if there is no provider, or the provider fails
   */
  public static Timetable of(RecurrenceText recurrence) {
    try {
      return recurrence.kind().equals(RecurrenceText.EVERY)
          ? every(recurrence.expression())
          : provider(recurrence).timetable(recurrence.expression());
    } catch (RecurrenceException e) {
      throw e;
    } catch (Throwable e) {
      throw failed(recurrence, e);
    }
  }

  private static RecurrenceException failed(RecurrenceText recurrence, Throwable e) {
    return new RecurrenceException(
        "The occurrences of the recurrence '" + recurrence + "' can't be computed: " + e, e);
  }

  private static RecurrenceProvider provider(RecurrenceText recurrence) {
    TreeSet<String> known = new TreeSet<>();
    known.add(RecurrenceText.EVERY);
    for (ClassLoader loader : loaders()) {
      for (RecurrenceProvider provider : ServiceLoader.load(RecurrenceProvider.class, loader)) {
        if (provider.kind().equals(recurrence.kind())) {
          return provider;
        }
        known.add(provider.kind());
      }
    }
    throw new RecurrenceException(
        "No module on the class path has the recurrence '"
            + recurrence
            + "'; there are "
            + known
            + ". Add the module of the kind '"
            + recurrence.kind()
            + "', such as punctual-cron, to each process with workers of the queue");
  }

  /** Returns the class loaders to search; handlers' threads may lack the application's loader. */
  private static List<ClassLoader> loaders() {
    ClassLoader own = Timetables.class.getClassLoader();
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    return context == null || context == own ? List.of(own) : List.of(context, own);
  }

  private static Timetable every(String expression) {
    try {
      return new Every(RecurrenceText.every(Duration.parse(expression)));
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException("'" + expression + "' is not a duration", e);
    }
  }

  /** A fixed interval, counted from an occurrence. */
  private static final class Every implements Timetable {
    private final long stepMillis;

    Every(RecurrenceText recurrence) {
      this.stepMillis = Duration.parse(recurrence.expression()).toMillis();
    }

    @Override
    public Optional<Instant> next(Instant occurrence, Instant after) {
      long from = occurrence.toEpochMilli();
      long passed = Math.max(0, Math.subtractExact(after.toEpochMilli(), from));
      long steps = passed / stepMillis + 1;
      return Optional.of(
          Instant.ofEpochMilli(Math.addExact(from, Math.multiplyExact(steps, stepMillis))));
    }
  }
}
