package io.punctual.journal.log;

import java.time.Duration;

/** Waits for threads to end. */
public final class Threads {
  private Threads() {}

  /** Waits even when interrupted, since half a closing helps nobody; keeps the interrupt. */
  public static void join(Thread thread) {
    boolean unused = join(thread, Duration.ofDays(365));
  }

  /** The same for a bounded time; returns whether the thread has ended. */
  public static boolean join(Thread thread, Duration time) {
    boolean interrupted = false;
    long end = System.nanoTime() + time.toNanos();
    long left = time.toMillis();
    while (thread.isAlive() && left > 0) {
      try {
        thread.join(left);
      } catch (InterruptedException e) {
        interrupted = true;
      }
      left = (end - System.nanoTime() + 999_999) / 1_000_000;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }
}
