package io.punctual.internal.session;

import java.util.concurrent.TimeUnit;

/**
 * The longest time that deferrable settlements wait for other operations to share their call: 1 or
 * 10 milliseconds.
 */
public enum Linger {
  /** For the acks of a worker, because their answers make room for further claims. */
  SHORT(1),
  /**
   * For the acks of messages that an at-most-once claim has cancelled, because no consumer can
   * receive these messages any more.
   */
  LONG(10);

  private final long nanos;

  Linger(long millis) {
    this.nanos = TimeUnit.MILLISECONDS.toNanos(millis);
  }

  long nanos() {
    return nanos;
  }
}
