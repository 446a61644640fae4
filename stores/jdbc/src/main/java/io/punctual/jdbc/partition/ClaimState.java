package io.punctual.jdbc.partition;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * The state that a claim of a queue leaves for the next claim. For a single thread at a time,
 * except {@link #sweepNext} and {@link #changed}.
 */
final class ClaimState {
  /** The shortest interval between two regular sweeps, in nanoseconds. */
  private static final long SHORTEST_SWEEP_NANOS = 250_000_000;

  /** The interval between two regular sweeps, as a multiple of the duration of a sweep. */
  private static final int SWEEP_FACTOR = 10;

  /**
   * If the last claim took all due messages, a claim begins its search this number of milliseconds
   * before the time of the last claim. A message that was scheduled without a delay can be
   * committed a few milliseconds after its due time.
   */
  private static final long OVERLAP_MILLIS = 100;

  private static final long SOON_MILLIS = 1000;

  /**
   * The first wait, in microseconds, when other transactions have locked due messages or the row of
   * the queue's limits; each further wait is longer, up to {@link #LONGEST_LOCKED_MICROS}. Claims
   * of other processes hold their locks for about a millisecond.
   */
  private static final long FIRST_LOCKED_MICROS = 20_000;

  /**
   * The longest wait for locked messages, in microseconds. A transaction of the application may
   * hold its locks for minutes.
   */
  private static final long LONGEST_LOCKED_MICROS = 250_000;

  private final SweepPace pace;
  private Position waitingFrom = Position.START;
  private long leasedFrom = Long.MIN_VALUE;
  private long leasedNext;
  private boolean sweeping;
  private volatile boolean sweepsNext = true;

  /**
   * The earliest times of the messages that calls have changed since the last claim began. The next
   * claim takes them into account: the calls may have been committed before or after the last claim
   * looked at the messages.
   */
  private final AtomicReference<Earliest> changed = new AtomicReference<>(Earliest.NONE);

  /** Whether the last claim has begun and is not known to be committed. */
  private boolean open;

  private boolean metLocks;
  private long lastToken;
  private long lockedMicros = FIRST_LOCKED_MICROS;

  ClaimState(LongSupplier nanoTime) {
    pace = new SweepPace(nanoTime, SHORTEST_SWEEP_NANOS, SWEEP_FACTOR);
  }

  /** Prepares for a claim, and decides whether it is a sweep, which looks at all messages. */
  void begin() {
    Earliest earliest = changed.getAndSet(Earliest.NONE);
    leasedNext = Math.min(leasedNext, earliest.leasedMillis());
    leasedFrom = Math.min(leasedFrom, earliest.leasedMillis());
    if (earliest.waitingMillis() <= waitingFrom.millis()) {
      waitingFrom = Position.before(earliest.waitingMillis());
    }
    sweeping = open || sweepsNext || pace.isDue();
    if (sweeping) {
      sweepsNext = false;
      pace.begin();
      waitingFrom = Position.START;
      leasedFrom = Long.MIN_VALUE;
    }
    open = true;
    metLocks = false;
  }

  void committed() {
    open = false;
    if (sweeping) {
      pace.ended();
    }
  }

  /**
   * Makes the next claim a sweep, because a message may have an earlier time than the last claim.
   * Safe for use by many threads.
   */
  void sweepNext() {
    sweepsNext = true;
  }

  /**
   * Notes that a committed call has changed messages; {@code earliest} has the earliest of their
   * times. Safe for use by many threads.
   */
  void changed(Earliest earliest) {
    Earliest unused = changed.accumulateAndGet(earliest, Earliest::min);
  }

  /**
   * Returns whether the claim must look up the earliest end of a lease. Usually it need not if a
   * message is due soon, because the next claim then follows soon. The claim then uses an estimate
   * from the last look-up and the leases that this client has started since. The estimate can be
   * too early. It can be too late only if a different client has leased messages since the look-up.
   */
  boolean needsLeasedNext(long nowMillis, long dueMillis) {
    return sweeping || leasedNext <= nowMillis || dueMillis > nowMillis + SOON_MILLIS;
  }

  /** Sets the earliest end of a lease that a claim looked up. */
  void foundLeasedNext(long millis) {
    leasedNext = millis;
  }

  /** Notes that a claim leases messages until this time. */
  void leases(long untilMillis) {
    leasedNext = Math.min(leasedNext, untilMillis);
  }

  /**
   * Returns the earliest end of a lease that this client knows, in milliseconds from 1970, or an
   * earlier time.
   */
  long leasedNext() {
    return leasedNext;
  }

  /** Returns the position after which a claim looks for due messages. */
  Position waitingFrom() {
    return waitingFrom;
  }

  /** Returns the earliest end of a lease that a claim looks at, in milliseconds from 1970. */
  long leasedFrom() {
    return leasedFrom;
  }

  /**
   * Returns the time at which the search for the earliest end of a lease begins, in milliseconds
   * from 1970. Except in a sweep, the search begins at the earliest end that this client knows.
   */
  long leasedNextFrom() {
    return sweeping ? leasedFrom : Math.max(leasedFrom, leasedNext);
  }

  /** Notes that a claim took all messages with expired leases. */
  void tookExpired(long nowMillis) {
    leasedFrom = Math.max(leasedFrom, nowMillis - OVERLAP_MILLIS);
  }

  /** Notes that no due message is left, not even a locked message. */
  void tookDue(long nowMillis) {
    waitingFrom = waitingFrom.from(nowMillis - OVERLAP_MILLIS);
  }

  /** Notes that a claim took the messages up to this position. */
  void tookDueUpTo(Position position) {
    if (position.compareTo(waitingFrom) > 0) {
      waitingFrom = position;
    }
  }

  /** Returns the token of the last claim, or 0. */
  long lastToken() {
    return lastToken;
  }

  void claimed(long token) {
    lastToken = token;
  }

  /**
   * Returns the time in microseconds to wait before the next claim, if other transactions have
   * locked the remaining due messages, or the row of the queue's limits. Each call doubles the next
   * wait, up to 250 milliseconds.
   */
  long lockedMicros() {
    metLocks = true;
    long wait = lockedMicros;
    lockedMicros = Math.min(2 * wait, LONGEST_LOCKED_MICROS);
    return wait;
  }

  /** Returns whether the last claim met locks of other transactions. */
  boolean metLocks() {
    return metLocks;
  }

  /** Resets the wait, after a claim that found no locked messages. */
  void foundNoLocks() {
    lockedMicros = FIRST_LOCKED_MICROS;
  }
}
