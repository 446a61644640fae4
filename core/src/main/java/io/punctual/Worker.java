package io.punctual;

import java.time.Duration;

/**
 * Hands a queue's due messages to a handler until it is closed.
 *
 * <p>Closing stops claiming, gives back at once what no handler has started, waits for running
 * handlers up to the grace of its options, interrupts them, and waits until the settlements are
 * confirmed. Closing again waits for the same end. Safe for use by many threads, and from a
 * shutdown hook; not from its own handler, where it only stops claiming and returns.
 */
public interface Worker extends AutoCloseable {
  /** Returns the queue's name. */
  String queue();

  /** Returns how many handlers are running. */
  int running();

  /** Waits until the worker is closed and its last handler has ended. */
  void await() throws InterruptedException;

  /** As {@link #await()}, for so long at most; returns whether it has ended. */
  boolean await(Duration time) throws InterruptedException;

  /** Closes the worker with the grace of its options. */
  @Override
  void close();

  /** Closes the worker with this grace. */
  void close(Duration grace);
}
