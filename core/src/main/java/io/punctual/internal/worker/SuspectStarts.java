package io.punctual.internal.worker;

import io.punctual.internal.delivery.ClaimLease;
import io.punctual.internal.delivery.Isolation;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The starts of messages that may end this process, which wait until others like them are back in
 * the queue. Thread-safe.
 */
final class SuspectStarts {
  private final Isolation isolation;
  private final Set<Start> waiting = ConcurrentHashMap.newKeySet();

  SuspectStarts(Isolation isolation) {
    this.isolation = isolation;
  }

  /** Adds a step, which runs once: after its wait, or in {@link #runAll}. */
  void add(ClaimLease lease, Runnable step) {
    Start start = new Start(step);
    waiting.add(start);
    try {
      isolation.whenAllReturned(lease, start);
    } catch (RuntimeException | Error e) {
      if (waiting.remove(start)) {
        throw e; // else the step runs, and uses what the caller would take back
      }
    }
  }

  /** Runs all steps now, because the worker closes and releases the messages. */
  void runAll() {
    List.copyOf(waiting).forEach(Start::run);
  }

  private final class Start implements Runnable {
    private final Runnable step;

    Start(Runnable step) {
      this.step = step;
    }

    @Override
    public void run() {
      if (waiting.remove(this)) {
        step.run();
      }
    }
  }
}
