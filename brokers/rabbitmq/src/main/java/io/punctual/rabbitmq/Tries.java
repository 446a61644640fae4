package io.punctual.rabbitmq;

import java.util.concurrent.TimeUnit;

/**
 * The failed tries of one message, and the time of its next try. Each message has its own, so that
 * a message that fails again and again delays no other message. For use by one thread.
 */
final class Tries {
  private int failures;
  private long nextNanos;

  /**
   * Sets the time of the next try: after a pause that doubles with each failure.
   *
   * @param first the first pause, in milliseconds
   * @param longest the longest pause, in milliseconds
   */
  void failed(long first, long longest) {
    long pause = Math.min(longest, first << Math.min(failures, 20));
    failures++;
    nextNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pause);
  }

  int failures() {
    return failures;
  }

  /** Returns how long the next try has to wait, zero or negative if it is due. */
  long leftNanos() {
    return nextNanos - System.nanoTime();
  }

  /** Compares the times of the next tries. */
  int compareTo(Tries other) {
    return Long.signum(nextNanos - other.nextNanos);
  }
}
