package io.punctual.micrometer;

import java.util.Locale;

/**
 * The values of the tag {@code outcome} of {@code punctual.settled}, where they are in lower case.
 */
enum Settled {
  ACKED,
  RETRIED,
  DEFERRED,
  BURIED,
  RELEASED,
  REPEATED,
  OCCURRENCE_FAILED,
  DISCARDED,
  LEASE_LOST;

  String tag() {
    return name().toLowerCase(Locale.ROOT);
  }
}
