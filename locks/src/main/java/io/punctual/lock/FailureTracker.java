package io.punctual.lock;

import io.punctual.redis.client.RedisCallException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Records why and since when the server does not answer the requests of an attempt: failures, or
 * silence. Thread-safe.
 */
final class FailureTracker {
  /** A server that has never answered within this time is silent. */
  private static final long FIRST_ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** A server that answered before, and does not within this time, is silent. */
  private static final long NEXT_ANSWER_NANOS = TimeUnit.SECONDS.toNanos(1);

  private @Nullable Throwable failure;
  private long failingSince;
  private boolean isAwaiting;
  private long awaitingSince;
  private boolean wasAnswered;

  /** The client sends a request. */
  synchronized void asked(long now) {
    if (!isAwaiting) {
      isAwaiting = true;
      awaitingSince = now;
    }
  }

  /** The server has answered. */
  synchronized void answered() {
    failure = null;
    isAwaiting = false;
    wasAnswered = true;
  }

  /** A request failed, and may be repeated. */
  synchronized void failed(Throwable cause, long now) {
    if (failure == null) {
      failingSince = now;
    }
    failure = cause;
  }

  /** Returns the failure of the last request; null if no request failed since the last answer. */
  synchronized @Nullable Throwable failure() {
    return failure;
  }

  /** Returns how long the first answer may still take before the server counts as silent. */
  synchronized long firstAnswerIn(long now) {
    return isAwaiting && !wasAnswered ? awaitingSince + FIRST_ANSWER_NANOS - now : 0;
  }

  /**
   * Returns the failure of the last request, or the silence of the server; null if the server
   * answers.
   */
  synchronized @Nullable Throwable failureOrSilence(long now) {
    if (failure != null || !isAwaiting) {
      return failure;
    }
    long silent = now - awaitingSince;
    return silent < (wasAnswered ? NEXT_ANSWER_NANOS : FIRST_ANSWER_NANOS)
        ? null
        : new RedisCallException.Unanswered(
            "Redis has not answered for " + TimeUnit.NANOSECONDS.toMillis(silent) + " ms", null);
  }

  /**
   * Returns whether requests have failed for this long, since the start of the attempt at the
   * earliest.
   */
  synchronized boolean hasLasted(long nanos, long beganNanos, long now) {
    return failure != null && now - failingSince > nanos && now - beganNanos > nanos;
  }
}
