package io.punctual.server.jetty;

import java.time.Duration;
import java.util.function.IntSupplier;

/** Counts the requests that have no whole answer yet. Safe for use by many threads. */
final class InFlight {
  private static final long STEP_MILLIS = 10;

  private int count;
  private long lastEnd = System.nanoTime();

  synchronized void begin() {
    count++;
  }

  synchronized void end() {
    count--;
    lastEnd = System.nanoTime();
    notifyAll();
  }

  synchronized int count() {
    return count;
  }

  /**
   * Waits until none is there, and either no client is connected, or none has come for some time.
   *
   * @param bound how long to wait at most
   * @return whether none is there
   */
  synchronized boolean awaitQuiet(IntSupplier connections, Duration quiet, Duration bound)
      throws InterruptedException {
    long begin = System.nanoTime();
    while (true) {
      long now = System.nanoTime();
      boolean isQuiet =
          count == 0
              && (connections.getAsInt() == 0 || now - Math.max(lastEnd, begin) >= quiet.toNanos());
      if (isQuiet || now - begin >= bound.toNanos()) {
        return count == 0;
      }
      wait(STEP_MILLIS);
    }
  }
}
