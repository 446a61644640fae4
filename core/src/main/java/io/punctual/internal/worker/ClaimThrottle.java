package io.punctual.internal.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.internal.log.Logs;
import io.punctual.internal.runtime.Environment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;

/**
 * Decides when the claimers of a {@link Pool} get permits for their claims, and how many. Each
 * permit allows one call of a handler. No claimer gets permits while 1000 or more settlements wait
 * for the store, or for a second after the executor rejected a handler.
 *
 * <p>Claimers that found too few permits wait in a line, and run again when it is their turn.
 * Thread-safe. No claimer is called under the lock.
 */
final class ClaimThrottle {
  private static final Logger log = Logs.of(ClaimThrottle.class);
  private static final int UNCONFIRMED = 1000;
  private static final Duration HOLD_OFF = Duration.ofSeconds(1);

  /**
   * A lingering claim waits, at most for {@link #LINGER}, until a part of the permits is free: the
   * concurrency divided by this number.
   */
  private static final int PART = 2;

  private static final Duration LINGER = Duration.ofNanos(500_000);

  private final Environment env;
  private final ReentrantLock lock = new ReentrantLock();

  // An error where a call makes these objects would leave the state that they end.
  private final Runnable lingered = this::lingered;
  private final Runnable goOn = this::goOn;

  @GuardedBy("lock") private final Permits<Runnable> permits;

  @GuardedBy("lock") private int concurrency;

  @GuardedBy("lock") private int unconfirmed;

  @GuardedBy("lock") private boolean heldOff;

  @GuardedBy("lock") private boolean lingering;

  @GuardedBy("lock") private boolean closed;

  ClaimThrottle(Environment env, int concurrency) {
    this.env = env;
    this.concurrency = concurrency;
    this.permits = new Permits<>(concurrency);
  }

  /**
   * Takes permits for a claim, and returns their number. If the number is 0, the claimer waits in
   * the line until the throttle runs it again.
   *
   * @param most the largest number of permits that the claim can use
   * @param lingers whether the claimer prefers a short wait to few permits, because its messages
   *     are late already, and a small claim costs its partition as much as a large claim
   */
  int take(Runnable claimer, int most, boolean lingers) {
    int taken;
    lock.lock();
    try {
      int least = lingers ? Math.max(1, concurrency / PART) : 1;
      taken = permits.take(claimer, least, isOpen() ? most : 0);
      if (lingers && taken > 0) {
        permits.beginLargeClaim();
      }
    } finally {
      lock.unlock();
    }
    if (taken == 0) {
      linger();
    }
    return taken;
  }

  /** Puts a claimer at the end of the line, unless it waits there already. */
  void join(Runnable claimer) {
    lock.lock();
    try {
      int unused = permits.take(claimer, 1, 0);
    } finally {
      lock.unlock();
    }
  }

  int concurrency() {
    lock.lock();
    try {
      return concurrency;
    } finally {
      lock.unlock();
    }
  }

  /** Changes the number of permits. Fewer permits take effect as running handlers end. */
  void concurrency(int wanted) {
    lock.lock();
    try {
      permits.add(wanted - concurrency);
      concurrency = wanted;
    } finally {
      lock.unlock();
    }
    admitWaiting();
  }

  /** Returns whether neither unconfirmed settlements nor a rejecting executor prevent claims. */
  boolean admitsClaims() {
    lock.lock();
    try {
      return isOpen();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns the same as {@link #admitsClaims()}. If the result is false, {@code waiter} is in the
   * line, and the throttle runs it when claims are admitted again and a permit is free.
   */
  boolean admitsClaims(Runnable waiter) {
    lock.lock();
    try {
      if (!isOpen()) {
        int unused = permits.take(waiter, 1, 0);
      }
      return isOpen();
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock") private boolean isOpen() {
    return unconfirmed < UNCONFIRMED && !heldOff;
  }

  /**
   * Starts a short wait for more permits, if claimers in the line need more permits than are free.
   */
  private void linger() {
    lock.lock();
    try {
      if (lingering || closed || !isOpen() || !permits.isAwaitingMore()) {
        return;
      }
      lingering = true;
    } finally {
      lock.unlock();
    }
    try {
      env.timer().schedule(LINGER, lingered);
    } catch (RejectedExecutionException timerClosed) {
      log.debug("The timer is closed, and with it the client", timerClosed);
    } catch (RuntimeException | Error e) {
      lock.lock();
      try {
        lingering = false;
      } finally {
        lock.unlock();
      }
      throw e;
    }
  }

  private void lingered() {
    lock.lock();
    try {
      lingering = false;
      permits.acceptFewer();
    } finally {
      lock.unlock();
    }
    admitWaiting();
  }

  /** Takes up to {@code most} free permits, ahead of the claimers that wait in the line. */
  int takeFree(int most) {
    lock.lock();
    try {
      return permits.takeFree(Math.max(0, most));
    } finally {
      lock.unlock();
    }
  }

  /** Returns permits, and lets waiting claimers use them. */
  void giveBack(int granted) {
    lock.lock();
    try {
      permits.add(granted);
    } finally {
      lock.unlock();
    }
    admitWaiting();
  }

  /** Notes that a lingering claim has its reply, or has given its permits back. */
  void endLargeClaim() {
    lock.lock();
    try {
      permits.endLargeClaim();
    } finally {
      lock.unlock();
    }
  }

  /** Removes a closed claimer from the line, so that the next claimer has its turn. */
  void leave(Runnable claimer) {
    lock.lock();
    try {
      permits.leave(claimer);
    } finally {
      lock.unlock();
    }
    admitWaiting();
  }

  /** Runs the claimers in the line for which enough permits are free. */
  void admitWaiting() {
    for (Optional<Runnable> turn = turn(); turn.isPresent(); turn = turn()) {
      run(turn.get());
    }
    linger();
  }

  /** Runs a claimer. If it fails, it claims at the next safety check, and the others go on. */
  private static void run(Runnable claimer) {
    try {
      claimer.run();
    } catch (Throwable e) {
      log.warn("A claim can't be sent; the worker tries again", e);
    }
  }

  private Optional<Runnable> turn() {
    lock.lock();
    try {
      return isOpen() ? permits.pollTurn() : Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Gives claimers no permits for a second, so that a worker whose executor rejects handlers does
   * not claim and release the same messages in a tight loop.
   *
   * @return whether this call began the pause
   */
  boolean holdOff() {
    lock.lock();
    try {
      if (heldOff) {
        return false;
      }
      heldOff = true;
    } finally {
      lock.unlock();
    }
    try {
      // If the timer is closed, the worker claims no more messages.
      Object unused = env.ifOpen(HOLD_OFF.toNanos(), goOn);
    } catch (RuntimeException | Error e) {
      goOn();
      throw e;
    }
    return true;
  }

  private void goOn() {
    lock.lock();
    try {
      heldOff = false;
    } finally {
      lock.unlock();
    }
    admitWaiting();
  }

  /** Notes that a settlement was submitted to the store. */
  void settlementSubmitted() {
    lock.lock();
    try {
      unconfirmed++;
    } finally {
      lock.unlock();
    }
  }

  /** Notes that a settlement was answered, or has ended without an answer. */
  void settlementAnswered() {
    boolean hasRoomAgain;
    lock.lock();
    try {
      hasRoomAgain = unconfirmed-- == UNCONFIRMED;
    } finally {
      lock.unlock();
    }
    if (hasRoomAgain) {
      admitWaiting();
    }
  }

  /** Notes that the pool is closed, so that no further wait for more permits starts. */
  void close() {
    lock.lock();
    try {
      closed = true;
    } finally {
      lock.unlock();
    }
  }
}
