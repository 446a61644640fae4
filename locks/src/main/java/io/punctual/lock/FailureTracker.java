package io.punctual.lock;

import io.punctual.redis.client.RedisCallException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Why the server does not answer the questions of an attempt, and since when: failures, or silence.
 * Thread-safe.
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

  /** A question leaves for the server. */
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

  /** A question failed, and may be asked again. */
  synchronized void failed(Throwable cause, long now) {
    if (failure == null) {
      failingSince = now;
    }
    failure = cause;
  }

  /** Returns the failure of the last question; null if none failed since the last answer. */
  synchronized @Nullable Throwable failure() {
    return failure;
  }

  /** Returns for how long the first answer may still take before the server counts as silent. */
  synchronized long firstAnswerIn(long now) {
    return isAwaiting && !wasAnswered ? awaitingSince + FIRST_ANSWER_NANOS - now : 0;
  }

  /** Returns the failure of the last question, or the silence of the server; null if it is well. */
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

  /** Whether questions have failed for this long, also for an attempt that began at this time. */
  synchronized boolean hasLasted(long nanos, long beganNanos, long now) {
    return failure != null && now - failingSince > nanos && now - beganNanos > nanos;
  }
}
