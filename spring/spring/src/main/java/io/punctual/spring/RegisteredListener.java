package io.punctual.spring;

import io.punctual.Worker;
import java.time.Duration;
import java.util.List;

/** A listener of the application. Safe for use by many threads. */
public interface RegisteredListener {
  /** Returns the id of the listener. */
  String id();

  /** Returns the names of the listener's queues. */
  List<String> queues();

  /** Returns whether the listener has a worker that is not closed. */
  boolean isRunning();

  /** Returns the workers, one for each queue; an empty list if the listener does not run. */
  List<Worker> workers();

  /**
   * Starts the workers; has no effect if the listener runs. If the context is stopped, the workers
   * start when the context starts. From then on, until a {@link #stop}, the listener starts
   * whenever the context starts.
   *
   * @throws ListenerDefinitionException if the options of the listener are wrong
   * @throws io.punctual.PunctualException if the store does not answer
   */
  void start();

  /**
   * Stops the workers, and waits for running calls up to the grace period of the options. A second
   * stop waits for the same calls. In the listener's own method, stop ends the claims and returns
   * without waiting.
   */
  void stop();

  /** As {@link #stop()}, with this grace period instead of the grace period of the options. */
  void stop(Duration grace);
}
