package io.punctual.rabbitmq;

import io.punctual.internal.runtime.Backoff;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The failed tries of one message, and the time of its next try. Each message has its own, so that
 * a message that fails again and again delays no other message. For use by one thread.
 */
final class Tries {
  private final Backoff backoff;
  private long nextNanos;

  /** Creates the tries of a message; {@code backoff} has the pauses between them. */
  Tries(Backoff backoff) {
    this.backoff = backoff;
  }

  /** Sets the time of the next try. */
  void failed() {
    nextNanos = System.nanoTime() + backoff.failed(ThreadLocalRandom.current());
  }

  int failures() {
    return backoff.failures();
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
