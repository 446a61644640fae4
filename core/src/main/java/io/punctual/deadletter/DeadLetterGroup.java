package io.punctual.deadletter;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The dead letters of a queue with the same reason and the same failure. Immutable. */
public interface DeadLetterGroup {
  /** The number of spans of {@link #deaths}. */
  int DEATH_SPANS = 24;

  /**
   * Returns 12 hexadecimal digits, the same in every process, for {@link
   * DeadLetterFilter#withGroup}.
   */
  String key();

  /** Returns the reason of the burials, or empty if the reason is unknown. */
  Optional<DeadReason> reason();

  /**
   * Returns the class of the innermost exception, and the first stack frame of the user's code, for
   * example {@code com.example.CardException at com.example.Cards.charge(Cards.java:42)}. If there
   * is no such frame, the details of the reason, with a placeholder for each quoted text and each
   * word with digits.
   */
  String failure();

  /** Returns the number of dead letters. */
  long count();

  /** Returns the earliest time of death, by the store's clock. */
  Instant firstDied();

  /** Returns the latest time of death, by the store's clock. */
  Instant lastDied();

  /**
   * Returns the numbers of deaths in {@link #DEATH_SPANS} equal spans, from {@link #firstDied} to
   * {@link #lastDied}. Together they are {@link #count}. If the deaths lie more than half a second
   * apart, a death within a tenth of a span from a border can count in the neighbour span.
   */
  List<Long> deaths();

  /** Returns the id of a dead letter that died at {@link #lastDied}. */
  String sampleId();
}
