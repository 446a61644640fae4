package io.punctual.lock.internal.protocol;

import java.util.List;

/**
 * The limits within which a mutex passes from holder to holder in a client, and the length of a
 * waiter's first lease. The scripts receive these values as constants, so that only this class
 * defines them.
 */
public final class HandOver {
  /** The maximum number of successive holders in the same client while other clients wait. */
  public static final int MOST_HOLDERS = 16;

  /** The maximum time that a mutex stays in the same client while other clients wait. */
  public static final long LONGEST_MILLIS = 100;

  /**
   * The longest lease that a script grants to a waiter other than the handle that requests the
   * script. This lease is short, because the waiter may have died. A living waiter renews it at
   * once.
   */
  public static final long LEASE_MILLIS = 1_500;

  private HandOver() {}

  /** Returns the first line of a script, which defines the constants. */
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
