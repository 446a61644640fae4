package io.punctual.lock;

import io.punctual.timer.Timeout;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Those of this client who want the same mutex. One of them leads: it asks the server, or holds the
 * lock. The others stand behind it, in the order in which they came, and the server does not know
 * them. Who gives the lock back passes it to the next of them, without a word to the server, as
 * long as its {@link Tenure} allows; then the lock goes back to the server, and the next asks
 * there, behind those of other clients.
 *
 * <p>This is lock cohorting (Dice, Marathe and Shavit, PPoPP 2012): what threads that share a cache
 * are there, threads that share a process are here.
 *
 * <p>Each leader ends with a call of {@link #passOn} that is answered yes, or of {@link #advance}.
 * The leader that follows on a leader without the lock takes over its place in the server's line.
 * While others stand behind a holder, the server is asked every second whether it still is one.
 *
 * <p>The lock, {@code this}, is not held while something is sent, completed or told. Thread-safe.
 */
final class Cohort {
  /** No place in the server's line to take over. */
  static final long END_OF_LINE = 0;

  private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(950);

  private final LockClient client;
  private final Consumer<Cohort> remove;
  private final FailureTracker failures = new FailureTracker();
  private final Set<Acquisition> behind = new LinkedHashSet<>();
  private @Nullable ServerHold holder;
  private int expected;
  private boolean isLed;
  private boolean isOver;
  private @Nullable Timeout check;

  /** Whether the next leader is being looked for; who finds the place vacant meanwhile says so. */
  private boolean isAdvancing;

  private boolean isVacantAgain;

  /** When the last leader arrived in the server's line. */
  private long place = END_OF_LINE;

  /** Creates one without anybody; {@code remove} is called when the last has left. */
  Cohort(LockClient client, Consumer<Cohort> remove) {
    this.client = client;
    this.remove = remove;
  }

  /** Why the server does not answer the leader. */
  FailureTracker failures() {
    return failures;
  }

  /** Somebody is about to join; false if the last has left. */
  synchronized boolean expect() {
    if (!isOver) {
      expected++;
    }
    return !isOver;
  }

  /** Returns whether this one, who was expected, leads. */
  synchronized boolean join(Acquisition one) {
    expected--;
    if (!isLed) {
      isLed = true;
      return true;
    }
    behind.add(one);
    if (check == null) {
      checkLater();
    }
    return false;
  }

  /** Somebody who stood behind has given up. */
  synchronized void leave(Acquisition one) {
    behind.remove(one);
  }

  /** Somebody has the lock now. */
  synchronized void heldBy(ServerHold hold) {
    holder = hold;
  }

  private synchronized void checkLater() {
    check = isOver || behind.isEmpty() ? null : client.after(CHECK_NANOS, this::check);
  }

  private void check() {
    ServerHold held = holder();
    if (held != null && held.isHeld()) {
      client.watchdog().renew(held);
    }
    checkLater();
  }

  private synchronized @Nullable ServerHold holder() {
    return holder;
  }

  /** Returns whether somebody took over the lock that is given back. */
  boolean passOn(ServerHold from) {
    while (from.mayPassOn()) {
      Acquisition next = next();
      if (next == null) {
        return false;
      } else if (next.takeOver(from)) {
        return true;
      }
    }
    return false;
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
   * The leader has ended: the next asks the server.
   *
   * @param arrival when the leader arrived in the server's line, or {@link #END_OF_LINE}
   */
  void advance(long arrival) {
    synchronized (this) {
      holder = null;
      place = arrival;
      if (isAdvancing) {
        isVacantAgain = true;
        return;
      }
      isAdvancing = true;
    }
    Acquisition next = successor(false);
    while (next != null) {
      next = successor(next.lead(place()));
    }
    if (isOver()) {
      remove.accept(this);
    }
  }

  /** Returns who is to lead; null if there is a leader, or nobody to be one. */
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

  private synchronized long place() {
    return place;
  }

  private synchronized boolean isOver() {
    return isOver;
  }
}
