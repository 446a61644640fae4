package io.punctual.kit.simulation;

import io.punctual.Recurrence;
import java.time.Duration;
import java.time.Instant;
import java.util.function.UnaryOperator;

/**
 * A recurrence, and an independent computation of its occurrences for the judge. Immutable.
 *
 * @param first the first occurrence
 * @param following returns the occurrence after an occurrence
 */
public record Rhythm(Recurrence recurrence, Instant first, UnaryOperator<Instant> following) {
  /** Returns a rhythm with a fixed interval. */
  public static Rhythm every(Duration interval, Instant first) {
    return new Rhythm(Recurrence.every(interval), first, time -> time.plus(interval));
  }

  /** Returns this rhythm, with the delivery of missed occurrences. */
  public Rhythm catchUp() {
    return new Rhythm(recurrence.catchUp(), first, following);
  }

  /** Returns this rhythm, with an end at the first failed occurrence. */
  public Rhythm stopOnFailure() {
    return new Rhythm(recurrence.stopOnFailure(), first, following);
  }
}
