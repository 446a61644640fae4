package io.punctual.internal.session;

import java.util.concurrent.TimeUnit;

/** How long deferrable settlements wait, at most, for other operations to share their call. */
public enum Linger {
  /** For settlements whose answers make room for further messages. */
  SHORT(1),
  /** For settlements that only remove messages that no consumer can receive any more. */
  LONG(10);

  private final long nanos;

  Linger(long millis) {
    this.nanos = TimeUnit.MILLISECONDS.toNanos(millis);
  }

  long nanos() {
    return nanos;
  }
}
