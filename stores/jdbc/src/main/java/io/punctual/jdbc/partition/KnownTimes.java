package io.punctual.jdbc.partition;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * The times before which the last safety check of this client found no message of a queue. The next
 * check begins there; {@link SweepPace} says when it looks at all messages again. For a single
 * thread at a time, except {@link #changed}.
 */
final class KnownTimes {
  /**
   * A check begins its search for due messages this number of milliseconds before the time of the
   * last check, because a message without a delay is committed some time after its due time.
   */
  private static final long OVERLAP_MILLIS = 1000;

  /** The interval between two sweeps, as a multiple of the duration of a sweep. */
  private static final int SWEEP_FACTOR = 100;

  private final SweepPace pace;
  private final AtomicReference<Earliest> changed = new AtomicReference<>(Earliest.NONE);
  private long waitingFrom = Long.MIN_VALUE;
  private long leasedFrom = Long.MIN_VALUE;
  private boolean sweeping;

  KnownTimes(LongSupplier nanoTime) {
    pace = new SweepPace(nanoTime, 0, SWEEP_FACTOR);
  }

  /** Prepares for a check. */
  void begin() {
    Earliest earliest = changed.getAndSet(Earliest.NONE);
    sweeping = pace.isDue();
    if (sweeping) {
      pace.begin();
    }
    waitingFrom = sweeping ? Long.MIN_VALUE : Math.min(waitingFrom, earliest.waitingMillis());
    leasedFrom = sweeping ? Long.MIN_VALUE : Math.min(leasedFrom, earliest.leasedMillis());
  }

  /** Returns the earliest due time that the check looks at, in milliseconds from 1970. */
  long waitingFrom() {
    return waitingFrom;
  }

  /** Returns the earliest end of a lease that the check looks at, in milliseconds from 1970. */
  long leasedFrom() {
    return leasedFrom;
  }

  /**
   * Notes what the check found.
   *
   * @param waiting the earliest due time, or {@link Long#MAX_VALUE}
   * @param leased the earliest end of a lease, or {@link Long#MAX_VALUE}
   */
  void found(long waiting, long leased, long nowMillis) {
    waitingFrom = Math.min(waiting, nowMillis - OVERLAP_MILLIS);
    leasedFrom = leased;
    if (sweeping) {
      pace.ended();
    }
  }

  /**
   * Notes that a committed call has changed messages; {@code earliest} has the earliest of their
   * times. Safe for use by many threads.
   */
  void changed(Earliest earliest) {
    Earliest unused = changed.accumulateAndGet(earliest, Earliest::min);
  }
}
