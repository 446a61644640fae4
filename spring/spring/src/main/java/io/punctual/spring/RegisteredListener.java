package io.punctual.spring;

import io.punctual.Worker;
import java.time.Duration;
import java.util.List;

/** A listener of the application. Safe for use by many threads. */
public interface RegisteredListener {
  /** Returns its id. */
  String id();

  /** Returns the names of its queues. */
  List<String> queues();

  /** Returns whether it has workers that are not closed. */
  boolean isRunning();

  /** Returns its workers, one for each queue; empty if it does not run. */
  List<Worker> workers();

  /**
   * Starts its workers; without effect if it runs. The listener then runs again after a stop and a
   * start of the application's context. Before the context's start and after its stop, the workers
   * start with the context.
   *
   * @throws ListenerDefinitionException if its options are wrong
   * @throws io.punctual.PunctualException if the store does not answer
   */
  void start();

  /**
   * Stops its workers, and waits for running calls up to the grace of the options. A second stop
   * waits for the same calls. A call in the listener's own method stops the claims and returns.
   */
  void stop();

  /** As {@link #stop()}, with this grace. */
  void stop(Duration grace);
}
