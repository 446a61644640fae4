package io.punctual.error;

import org.jspecify.annotations.Nullable;

/**
 * Throws one error at a chosen point of the instrumented classes. Each allocation is a point. For a
 * single thread.
 */
@SuppressWarnings("StaticAssignmentOfThrowable") // Compared with what is thrown.
public final class Injection {
  private static long left;
  private static long passed;
  private static @Nullable Error error;

  private Injection() {}

  /**
   * Throws this error at the point with this number, counted from 1; 0 throws nothing. Without an
   * error, interrupts the thread there.
   */
  public static void at(long point, @Nullable Error thrown) {
    passed = 0;
    left = point;
    error = thrown;
  }

  /** Ends the injection, and returns the number of points that the thread has passed. */
  public static long end() {
    left = 0;
    error = null;
    boolean unused = Thread.interrupted();
    return passed;
  }

  /** Called by the instrumented code. */
  public static void point() {
    passed++;
    if (left > 0 && --left == 0) {
      Error now = error;
      if (now == null) {
        Thread.currentThread().interrupt();
      } else {
        now.setStackTrace(new Throwable().getStackTrace());
        throw now;
      }
    }
  }
}
