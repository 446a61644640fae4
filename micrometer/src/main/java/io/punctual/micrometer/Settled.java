package io.punctual.micrometer;

import java.util.Locale;

/** The outcomes of settlements, which are the values of the tag {@code outcome} in lower case. */
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
