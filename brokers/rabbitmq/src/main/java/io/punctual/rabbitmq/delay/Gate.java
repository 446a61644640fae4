package io.punctual.rabbitmq.delay;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Stops publishers while the broker blocks them, and ends their waits at the close. Takes no other
 * lock, so the thread that reads from the broker may call it. Thread-safe.
 */
final class Gate {
  @GuardedBy("this") private @Nullable Object blocker;

  @GuardedBy("this") private @Nullable String blockedFor;

  @GuardedBy("this") private boolean closed;

  /**
   * Blocks publishers until {@link #unblock} of the same connection or {@link #reset}; {@code
   * reason} is the reason that the broker gives, for example "low on memory".
   */
  synchronized void block(Object connection, String reason) {
    blocker = connection;
    blockedFor = reason;
  }

  synchronized void unblock(Object connection) {
    if (blocker == connection) {
      reset();
    }
  }

  /** Unblocks publishers, because a new connection replaces the old connection. */
  synchronized void reset() {
    blocker = null;
    blockedFor = null;
    notifyAll();
  }

  synchronized void close() {
    closed = true;
    notifyAll();
  }

  synchronized boolean isClosed() {
    return closed;
  }

  /**
   * Returns the reason for which the broker blocks publishers, or null if it does not block them.
   */
  synchronized @Nullable String blockedFor() {
    return blockedFor;
  }

  /**
   * Waits until the broker takes messages or the gate is closed.
   *
   * @param deadline by {@link System#nanoTime}
   * @return whether that happened before the deadline
   */
  synchronized boolean awaitOpen(long deadline) throws InterruptedException {
    while (blockedFor != null && !closed) {
      if (!await(deadline)) {
        return false;
      }
    }
    return true;
  }

  /** Waits for this time; {@link #close} ends the wait. */
  synchronized void pause(long nanos) throws InterruptedException {
    long end = System.nanoTime() + nanos;
    while (!closed && await(end)) {
      // A change of the gate woke this thread before the end of the pause.
    }
  }

  @GuardedBy("this") private boolean await(long end) throws InterruptedException {
    long left = end - System.nanoTime();
    if (left <= 0) {
      return false;
    }
    TimeUnit.NANOSECONDS.timedWait(this, left);
    return true;
  }
}
