package io.punctual.jdbc.partition;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The state that a claim of a queue leaves for the next claim. For a single thread at a time,
 * except {@link #sweepNext} and {@link #changed}.
 */
final class ClaimState {
  /**
   * The shortest interval between two regular sweeps, in nanoseconds. A sweep is a claim that looks
   * at all due messages and expired leases. All other claims begin their search about where the
   * last claim stopped, because earlier index entries usually belong to deleted rows. PostgreSQL
   * keeps these entries, and would read them in each claim, while an old snapshot is open.
   */
  private static final long SHORTEST_SWEEP_NANOS = 250_000_000;

  private static final long LONGEST_SWEEP_NANOS = 5_000_000_000L;

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

  private final LongSupplier nanoTime;
  private long waitingFrom = Long.MIN_VALUE;
  private long leasedFrom = Long.MIN_VALUE;
  private long leasedNext;
  private long sweptNanos;
  private long intervalNanos = SHORTEST_SWEEP_NANOS;
  private boolean sweeping;
  private volatile boolean sweepsNext = true;

  /**
   * The earliest time of the messages that calls have changed since the last claim began, in
   * milliseconds from 1970, or {@link Long#MAX_VALUE}. The next claim takes it into account: the
   * calls may have been committed before or after the last claim looked at the messages.
   */
  private final AtomicLong changed = new AtomicLong(Long.MAX_VALUE);

  /** Whether the last claim has begun and is not known to be committed. */
  private boolean open;

  private long lastToken;
  private long lockedMicros = FIRST_LOCKED_MICROS;

  ClaimState(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Prepares for a claim, and decides whether it is a sweep. */
  void begin() {
    long now = nanoTime.getAsLong();
    long earliest = changed.getAndSet(Long.MAX_VALUE);
    leasedNext = Math.min(leasedNext, earliest);
    sweeping =
        open
            || sweepsNext
            || earliest < Math.max(waitingFrom, leasedFrom)
            || now - sweptNanos >= intervalNanos;
    if (sweeping) {
      sweepsNext = false;
      sweptNanos = now;
      waitingFrom = Long.MIN_VALUE;
      leasedFrom = Long.MIN_VALUE;
    }
    open = true;
  }

  /** Notes that the claim was committed. */
  void committed() {
    open = false;
    if (sweeping) {
      long took = nanoTime.getAsLong() - sweptNanos;
      intervalNanos =
          Math.min(LONGEST_SWEEP_NANOS, Math.max(SHORTEST_SWEEP_NANOS, SWEEP_FACTOR * took));
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
   * Notes that a committed call has changed messages; {@code earliestMillis} is the earliest of
   * their times. Safe for use by many threads.
   */
  void changed(long earliestMillis) {
    changed.accumulateAndGet(earliestMillis, Math::min);
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

  /** Returns the earliest due time that a claim looks at, in milliseconds from 1970. */
  long waitingFrom() {
    return waitingFrom;
  }

  /** Returns the earliest end of a lease that a claim looks at, in milliseconds from 1970. */
  long leasedFrom() {
    return leasedFrom;
  }

  /** Notes that a claim took all messages with expired leases. */
  void tookExpired(long nowMillis) {
    leasedFrom = Math.max(leasedFrom, nowMillis - OVERLAP_MILLIS);
  }

  /** Notes that no due message is left, not even a locked message. */
  void tookDue(long nowMillis) {
    waitingFrom = Math.max(waitingFrom, nowMillis - OVERLAP_MILLIS);
  }

  /** Notes that a claim took the messages that were due before this time. */
  void tookDueBefore(long millis) {
    waitingFrom = Math.max(waitingFrom, millis);
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
    long wait = lockedMicros;
    lockedMicros = Math.min(2 * wait, LONGEST_LOCKED_MICROS);
    return wait;
  }

  /** Resets the wait, after a claim that found no locked messages. */
  void foundNoLocks() {
    lockedMicros = FIRST_LOCKED_MICROS;
  }
}
