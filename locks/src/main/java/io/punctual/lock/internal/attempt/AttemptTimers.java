package io.punctual.lock.internal.attempt;

import io.punctual.lock.internal.client.LockClient;
import io.punctual.timer.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * The two timers of an attempt: one for the next request, and one for the end of the wait. The
 * monitor of the acquisition guards them.
 */
final class AttemptTimers {
  private final LockClient client;
  private final Runnable ask;
  private final Runnable timeUp;
  private @Nullable Timeout request;
  private @Nullable Timeout end;

  /**
   * Creates timers, which are not set.
   *
   * @param ask sends the next request
   * @param timeUp ends the wait
   */
  AttemptTimers(Attempt attempt, Runnable ask, Runnable timeUp) {
    this.client = attempt.client();
    this.ask = ask;
    this.timeUp = timeUp;
  }

  /** Plans the next request, in place of the request that was planned before. */
  void requestIn(long nanos) {
    cancel(request);
    request = client.after(nanos, ask);
  }

  void endIn(long nanos) {
    end = client.after(nanos, timeUp);
  }

  void cancel() {
    cancel(request);
    cancel(end);
  }

  private static void cancel(@Nullable Timeout timeout) {
    if (timeout != null) {
      timeout.cancel();
    }
  }
}
