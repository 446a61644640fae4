package io.punctual.rabbitmq;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Allows at most one log line in an interval, and counts the suppressed lines. Thread-safe. */
final class LogThrottle {
  private final long intervalNanos;
  private final AtomicLong next = new AtomicLong(System.nanoTime());
  private final AtomicLong suppressed = new AtomicLong();

  LogThrottle(Duration interval) {
    intervalNanos = interval.toNanos();
  }

  /** Returns whether to log the line now; if not, counts it as suppressed. */
  boolean isDue() {
    long now = System.nanoTime();
    long due = next.get();
    if (now - due >= 0 && next.compareAndSet(due, now + intervalNanos)) {
      return true;
    }
    suppressed.incrementAndGet();
    return false;
  }

  /** Returns how many lines were suppressed since the last call. */
  long suppressed() {
    return suppressed.getAndSet(0);
  }
}
