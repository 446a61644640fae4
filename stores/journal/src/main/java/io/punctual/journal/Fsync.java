package io.punctual.journal;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * When the journal forces changes to the disk: the choice between safety and speed. Immutable.
 *
 * <ul>
 *   <li>{@link #ALWAYS}: a confirmed change survives a loss of power. Changes that arrive together
 *       share a force.
 *   <li>{@link #interval}: a confirmed change survives the death of the process; a loss of power
 *       may lose the changes that were confirmed in the last interval.
 *   <li>{@link #OS}: a confirmed change survives the death of the process; a loss of power may lose
 *       the changes that the operating system had not yet written.
 * </ul>
 *
 * @param mode one of the three choices
 * @param interval the time between two forces; zero unless the mode is {@link Mode#INTERVAL}
 */
public record Fsync(Mode mode, Duration interval) {
  /** The three choices. */
  public enum Mode {
    /** Forces each change before it is confirmed. */
    ALWAYS,
    /** Forces at a fixed interval. */
    INTERVAL,
    /** Leaves the forces to the operating system. */
    OS
  }

  /** Forces each change before it is confirmed. */
  public static final Fsync ALWAYS = new Fsync(Mode.ALWAYS, Duration.ZERO);

  /** Leaves the forces to the operating system. */
  public static final Fsync OS = new Fsync(Mode.OS, Duration.ZERO);

  private static final Pattern MILLIS = Pattern.compile("([0-9]{1,9})ms");

  /** Checks that the mode {@code INTERVAL} has an interval, and that the other modes have none. */
  public Fsync {
    if (interval.isNegative() || interval.isZero() == (mode == Mode.INTERVAL)) {
      throw new IllegalArgumentException("An interval is positive, and only for INTERVAL");
    }
  }

  /**
   * Returns the choice to force every {@code interval}.
   *
   * @throws IllegalArgumentException if the interval is not positive
   */
  public static Fsync interval(Duration interval) {
    return new Fsync(Mode.INTERVAL, interval);
  }

  /**
   * Parses a choice: {@code always}, {@code os}, or an interval such as {@code 200ms}.
   *
   * @throws IllegalArgumentException if the text is not a choice
   */
  public static Fsync parse(String text) {
    Matcher millis = MILLIS.matcher(text);
    if (millis.matches()) {
      return interval(Duration.ofMillis(Long.parseLong(millis.group(1))));
    }
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "always" -> ALWAYS;
      case "os" -> OS;
      default ->
          throw new IllegalArgumentException(
              "fsync is always, os, or an interval such as 200ms, but was '" + text + "'");
    };
  }

  /**
   * How long confirmed bytes may stay unforced: 0 for {@link Mode#ALWAYS}, {@link Long#MAX_VALUE}
   * for {@link Mode#OS}, or the interval.
   */
  long unforcedNanos() {
    return mode == Mode.OS ? Long.MAX_VALUE : interval.toNanos();
  }

  @Override
  public String toString() {
    return mode == Mode.INTERVAL
        ? interval.toMillis() + "ms"
        : mode.name().toLowerCase(Locale.ROOT);
  }
}
