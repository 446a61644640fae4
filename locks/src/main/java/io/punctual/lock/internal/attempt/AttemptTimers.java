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
   * @param timeUp ends the wait
   */
  AttemptTimers(Acquisition acquisition, Runnable timeUp) {
    Attempts attempts = acquisition.attempt().attempts();
    this.client = attempts.client();
    Runnable askAgain = () -> attempts.askAgain(acquisition);
    this.ask = () -> Attempts.step(acquisition, askAgain);
    this.timeUp = () -> Attempts.step(acquisition, timeUp);
  }

  /** Plans the next request, in place of the request that was planned before. */
  void requestIn(long nanos) {
    cancel(request);
    request = after(nanos, ask);
  }

  void endIn(long nanos) {
    end = after(nanos, timeUp);
  }

  private @Nullable Timeout after(long nanos, Runnable task) {
    Timeout timeout = client.after(nanos, task);
    if (timeout == null && !client.isClosed()) {
      throw new IllegalStateException("The timer failed, so the lock can't be waited for");
    }
    return timeout;
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
