package io.punctual.lock;

import java.util.List;

/**
 * The limits within which a mutex passes from holder to holder. The scripts receive them as
 * constants, so they are defined here only.
 */
final class HandOver {
  /** The longest run of holders in the same client while other clients wait. */
  static final int MOST_HOLDERS = 16;

  /** The longest time that a mutex stays with the holders of a client while other clients wait. */
  static final long LONGEST_MILLIS = 100;

  /**
   * The lease that a script grants to a waiter of a different client. It is short, because that
   * waiter may have died; a living waiter renews it at once.
   */
  static final long LEASE_MILLIS = 1_500;

  private HandOver() {}

  /** Returns the constants as the first line of a script. */
  static String constants() {
    return "local LONGEST_RUN, LONGEST_RUN_MILLIS, LEASE_WHEN_GRANTED = "
        + String.join(
            ", ",
            List.of(
                Long.toString(MOST_HOLDERS),
                Long.toString(LONGEST_MILLIS),
                Long.toString(LEASE_MILLIS)));
  }
}
