package io.punctual.lock.internal.attempt;

import io.punctual.lock.internal.client.FailureTracker;
import io.punctual.lock.internal.hold.Grant;
import io.punctual.lock.internal.hold.ServerHold;
import io.punctual.lock.internal.hold.Watchdog;
import io.punctual.timer.Timeout;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The waiting attempts of this client for the same mutex that can pass the lock to each other. The
 * leader sends requests to the server, or holds the lock. The other attempts wait behind the leader
 * in the order of their arrival, and the server does not know them. A release passes the lock to
 * the next attempt without a request to the server, as long as the {@link Grant} allows it. After
 * that, the lock is released on the server, and the next attempt joins the server's line of waiters
 * behind other clients.
 *
 * <p>This technique is called lock cohorting (Dice, Marathe and Shavit, PPoPP 2012): the paper
 * groups threads that share a cache, and this class groups the attempts of a process.
 *
 * <p>A leader that releases the lock calls {@link #passOn}. If that returns false, or if the leader
 * ends without the lock, the leader calls {@link #advance}. If a leader ends without the lock, the
 * next leader takes over the former leader's place in the server's line. While attempts wait behind
 * a holder, the client renews the holder's lease about every second, to notice a loss soon.
 *
 * <p>The monitor of this object is not held while a request is sent, a future is completed or a
 * callback runs. Thread-safe.
 */
final class Cohort implements Grant.Successors {
  /**
   * The value for an attempt that takes over no place from an earlier leader, and so joins the end
   * of the server's line.
   */
  static final long END_OF_LINE = 0;

  private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(950);

  private final Watchdog watchdog;
  private final Consumer<Cohort> remove;
  private final FailureTracker failures = new FailureTracker();
  private final Set<Acquisition> behind = new LinkedHashSet<>();
  private @Nullable ServerHold holder;
  private int expected;
  private boolean isLed;
  private boolean isOver;
  private @Nullable Timeout check;

  /**
   * Whether a thread is selecting the next leader. Meanwhile, other threads only record in {@link
   * #isVacantAgain} that the leader has ended.
   */
  private boolean isAdvancing;

  private boolean isVacantAgain;

  /** The place of the last leader in the server's line. */
  private long lastArrival = END_OF_LINE;

  /** Creates an empty cohort, which calls {@code remove} when its last attempt has ended. */
  Cohort(Watchdog watchdog, Consumer<Cohort> remove) {
    this.watchdog = watchdog;
    this.remove = remove;
  }

  /** Returns the failures of the leader's requests. */
  FailureTracker failures() {
    return failures;
  }

  /**
   * Announces an attempt that will enter, so that the cohort does not end before; returns false if
   * the cohort has already ended.
   */
  synchronized boolean expect() {
    if (!isOver) {
      expected++;
    }
    return !isOver;
  }

  /** Makes an announced attempt the leader, or adds it behind the leader. */
  void enter(Acquisition announced) {
    if (joins(announced)) {
      if (!announced.lead(END_OF_LINE)) {
        advance(END_OF_LINE);
      }
    } else if (announced.isOver()) {
      leave(announced);
    }
  }

  /** Adds an announced attempt; returns true if it is the leader. */
  private synchronized boolean joins(Acquisition announced) {
    expected--;
    if (!isLed) {
      isLed = true;
      return true;
    }
    behind.add(announced);
    if (check == null) {
      checkLater();
    }
    return false;
  }

  /** Removes an attempt that ended before it led. */
  synchronized void leave(Acquisition ended) {
    behind.remove(ended);
  }

  /**
   * Removes an attempt that ended without the lock.
   *
   * @param wasQueued whether it ended before it led
   * @param arrival its place in the server's line, if it led
   */
  void ended(Acquisition attempt, boolean wasQueued, long arrival) {
    if (wasQueued) {
      leave(attempt);
    } else {
      // The next leader takes over the place in the line before this handle leaves the line.
      advance(arrival);
    }
  }

  /** Records the holder of the lock. */
  synchronized void heldBy(ServerHold hold) {
    holder = hold;
  }

  private synchronized void checkLater() {
    check = isOver || behind.isEmpty() ? null : watchdog.client().after(CHECK_NANOS, this::check);
  }

  private void check() {
    ServerHold held = holder();
    if (held != null && held.isHeld()) {
      watchdog.renew(held);
    }
    checkLater();
  }

  private synchronized @Nullable ServerHold holder() {
    return holder;
  }

  @Override
  public boolean passOn(ServerHold from) {
    while (from.mayPassOn()) {
      ServerHold following = from.next(); // first: an error here must not lose the next attempt
      Acquisition next = next();
      if (next == null) {
        return false;
      } else if (next.takeOver(following)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void released() {
    advance(END_OF_LINE);
  }

  private synchronized @Nullable Acquisition next() {
    Iterator<Acquisition> all = behind.iterator();
    if (!all.hasNext()) {
      return null;
    }
    Acquisition first = all.next();
    all.remove();
    return first;
  }

  /**
   * Ends the leadership of the current leader, and makes the next attempt the leader.
   *
   * @param arrival the leader's place in the server's line, or {@link #END_OF_LINE}
   */
  void advance(long arrival) {
    synchronized (this) {
      holder = null;
      lastArrival = arrival;
      if (isAdvancing) {
        isVacantAgain = true;
        return;
      }
      isAdvancing = true;
    }
    Acquisition next = successor(false);
    while (next != null) {
      next = successor(next.lead(lastArrival()));
    }
    if (isOver()) {
      remove.accept(this);
    }
  }

  /**
   * Returns the next attempt to try as leader; null if there is a leader, or no attempt.
   *
   * @param isFound whether the attempt that was tried before became the leader
   */
  private synchronized @Nullable Acquisition successor(boolean isFound) {
    boolean isVacant = !isFound || isVacantAgain;
    isVacantAgain = false;
    Acquisition next = isVacant ? next() : null;
    if (next == null) {
      isAdvancing = false;
      isLed = !isVacant;
      isOver = isVacant && expected == 0;
    }
    if (isOver && check != null) {
      check.cancel();
    }
    return next;
  }

  private synchronized long lastArrival() {
    return lastArrival;
  }

  private synchronized boolean isOver() {
    return isOver;
  }
}
