package io.punctual.micrometer;

import java.util.Locale;

/** The outcomes of settlements, as the tag {@code outcome} shows them. */
enum Settled {
  ACKED,
  RETRIED,
  DEFERRED,
  BURIED,
  RELEASED,
  REPEATED,
  DISCARDED,
  LEASE_LOST;

  String tag() {
    return name().toLowerCase(Locale.ROOT);
  }
}
