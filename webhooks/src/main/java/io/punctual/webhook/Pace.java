package io.punctual.webhook;

import io.punctual.timer.DueTimer;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Begins calls in even distances. Thread-safe. */
final class Pace {
  private final DueTimer timer;
  private final Executor executor;
  private final long distance;
  private long next;

  /**
   * Creates it.
   *
   * @param executor begins calls that have waited
   * @param rate the largest number of calls in each {@code per}, or 0 without a limit
   */
  Pace(DueTimer timer, Executor executor, int rate, Duration per) {
    this.timer = timer;
    this.executor = executor;
    distance = rate == 0 ? 0 : per.toNanos() / rate;
    next = timer.nanoTime();
  }

  /** Runs a call when it is its turn: at once on this thread, or later on the executor's. */
  void run(Runnable call) {
    long wait = distance == 0 ? 0 : turn();
    if (wait <= 0) {
      call.run();
      return;
    }
    try {
      timer.schedule(wait, () -> runSoon(call));
    } catch (RejectedExecutionException e) {
      // The process ends, and the worker releases the message.
    }
  }

  private void runSoon(Runnable call) {
    try {
      executor.execute(call);
    } catch (RejectedExecutionException e) {
      // The process ends, and the worker releases the message.
    } catch (Error e) { // for example no memory for a thread
      call.run();
    }
  }

  private synchronized long turn() {
    long now = timer.nanoTime();
    long own = next - now > 0 ? next : now;
    next = own + distance;
    return own - now;
  }
}
