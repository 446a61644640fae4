package io.punctual.redis.lock;

import org.jspecify.annotations.Nullable;

/** Why a question is not answered, and since when. Thread-safe. */
final class Trouble {
  private @Nullable Throwable cause;
  private long sinceNanos;

  /** Takes note of a failure that may pass. */
  synchronized void note(Throwable failure, long now) {
    if (cause == null) {
      sinceNanos = now;
    }
    cause = failure;
  }

  synchronized void end() {
    cause = null;
  }

  synchronized @Nullable Throwable cause() {
    return cause;
  }

  /** Whether it has lasted for more than this, to somebody who came at that time. */
  synchronized boolean lasted(long nanos, long cameNanos, long now) {
    return cause != null && now - sinceNanos > nanos && now - cameNanos > nanos;
  }
}
