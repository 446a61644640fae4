package io.punctual;

import java.time.Duration;

/**
 * Delivers a queue's due messages to a handler until the worker is closed.
 *
 * <p>Closing a worker stops its claims and releases messages that no handler has started. It waits
 * for running handlers up to the grace, interrupts them, and waits until the store has confirmed
 * the settlements. A second close waits for the same end. Safe for use by many threads and in a
 * shutdown hook. A close in the worker's own handler stops the claims and returns.
 */
public interface Worker extends AutoCloseable {
  /** Returns the queue's name. */
  String queue();

  /** Returns the number of running handlers. */
  int running();

  /** Waits until the worker is closed and its last handler has ended. */
  void await() throws InterruptedException;

  /** As {@link #await()}, for at most this time; returns whether the worker has ended. */
  boolean await(Duration time) throws InterruptedException;

  /** Closes the worker with the grace of its options. */
  @Override
  void close();

  /** Closes the worker with this grace. */
  void close(Duration grace);
}
