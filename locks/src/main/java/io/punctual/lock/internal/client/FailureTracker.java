package io.punctual.lock.internal.client;

import io.punctual.redis.client.request.RedisCallException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Records for how long the server has not replied to requests, and whether requests have failed or
 * the server is silent. An attempt to acquire a lock and a wait for a latch each have a tracker.
 * The waiting attempts of one client for the same mutex can share a tracker, because only one of
 * them sends requests. Thread-safe.
 */
public final class FailureTracker {
  /** If the first reply takes longer than this, the server counts as silent. */
  private static final long FIRST_ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** If a later reply takes longer than this, the server counts as silent. */
  private static final long NEXT_ANSWER_NANOS = TimeUnit.SECONDS.toNanos(1);

  private @Nullable Throwable failure;
  private long failingSince;
  private boolean isAwaiting;
  private long awaitingSince;
  private boolean wasAnswered;

  /** Records that the client sends a request. */
  public synchronized void asked(long now) {
    if (!isAwaiting) {
      isAwaiting = true;
      awaitingSince = now;
    }
  }

  /** Records that the server has replied. */
  public synchronized void answered() {
    failure = null;
    isAwaiting = false;
    wasAnswered = true;
  }

  /** Records that a request failed, and may be repeated. */
  public synchronized void failed(Throwable cause, long now) {
    if (failure == null) {
      failingSince = now;
    }
    failure = cause;
  }

  /**
   * Returns the failure of the last request; null if no request has failed since the last reply.
   */
  public synchronized @Nullable Throwable failure() {
    return failure;
  }

  /**
   * Returns how long the first reply may still take before the server counts as silent; 0 or
   * negative if this time has passed, or if no first reply is awaited.
   */
  public synchronized long firstAnswerIn(long now) {
    return isAwaiting && !wasAnswered ? awaitingSince + FIRST_ANSWER_NANOS - now : 0;
  }

  /**
   * Returns the failure of the last request, or a failure that describes the silence of the server;
   * null if the server replies.
   */
  public synchronized @Nullable Throwable failureOrSilence(long now) {
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
   * Returns whether the failures, and the attempt as well, have lasted longer than this time. A
   * shared tracker can have failures that are older than the attempt.
   */
  public synchronized boolean hasLasted(long nanos, long beganNanos, long now) {
    return failure != null && now - failingSince > nanos && now - beganNanos > nanos;
  }
}
