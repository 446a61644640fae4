package io.punctual.internal.delivery;

import io.punctual.internal.runtime.ProcessInfo;
import io.punctual.internal.runtime.WorkerCounters;
import org.jspecify.annotations.Nullable;

/** A worker that the list of workers shows. Thread-safe. */
public interface Announced {
  String name();

  String queue();

  int concurrency();

  int running();

  WorkerCounters counters();

  /** Returns the process of the worker, or null if it is this process. */
  default @Nullable ProcessInfo elsewhere() {
    return null;
  }

  /** Returns whether the worker is paused, for any reason. */
  boolean isPaused();

  /** Returns whether an operator has paused the worker. */
  boolean isPausedByOperator();

  /** Pauses the worker for an operator, or ends that pause. Idempotent. */
  void pauseByOperator(boolean paused);
}
