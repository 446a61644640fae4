package io.punctual.journal.log;

import java.time.Duration;

/** Creates the journal's threads, waits for threads to end, and keeps interrupts away. */
public final class Threads {
  private Threads() {}

  /**
   * Creates a daemon that ignores interrupts. An interrupt closes the file that a thread reads or
   * writes, which ends the journal; containers and tools interrupt all threads of a group.
   */
  public static Thread create(Runnable loop, String name) {
    Thread thread =
        new Thread(loop, name) {
          @Override
          public void interrupt() {}
        };
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Clears the interrupt status of the calling thread, runs {@code action}, and restores the
   * status.
   */
  public static void uninterrupted(Runnable action) {
    boolean interrupted = Thread.interrupted();
    try {
      action.run();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Waits for the end of a thread, even if the caller is interrupted, because a close must
   * complete. Restores the interrupt status.
   */
  public static void join(Thread thread) {
    boolean unused = join(thread, Duration.ofDays(365));
  }

  /**
   * Waits for the end of a thread for at most {@code time}, even if the caller is interrupted.
   * Restores the interrupt status, and returns whether the thread has ended.
   */
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
