package io.punctual.lock;

import io.punctual.timer.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * The two timers of an attempt: one for the next request, and one for the end of the wait. The
 * monitor of the acquisition guards them.
 */
final class AttemptTimers {
  private final LockClient client;
  private @Nullable Timeout request;
  private @Nullable Timeout end;

  AttemptTimers(LockClient client) {
    this.client = client;
  }

  /** Plans the next request, in place of the request that was planned before. */
  void requestIn(long nanos, Runnable task) {
    cancel(request);
    request = client.after(nanos, task);
  }

  void endIn(long nanos, Runnable task) {
    end = client.after(nanos, task);
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
