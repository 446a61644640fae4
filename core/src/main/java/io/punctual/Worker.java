package io.punctual;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Delivers a queue's due messages to a handler until the worker is closed.
 *
 * <p>Closing a worker stops its claims and releases messages that no handler has received. It waits
 * for running handlers up to the grace period, and interrupts the handlers that still run then.
 * Then it waits a few seconds for these handlers, and for the store to confirm the settlements. A
 * second close waits for the same shutdown. Safe for use by many threads and in a shutdown hook. A
 * close in the worker's own handler, or in a callback, stops the claims and returns.
 */
public interface Worker extends AutoCloseable {
  /** Returns the name from the worker's options, by default the queue's name. */
  String name();

  /** Returns the queue's name. */
  String queue();

  /** Returns the number of running handlers. */
  int running();

  /**
   * Returns the figures of this worker since its start. The call is cheap, so it may be frequent.
   */
  WorkerStats stats();

  /** Returns how many calls of the handler may run at once. */
  int concurrency();

  /**
   * Changes the concurrency. A lower concurrency takes effect as running handlers end.
   *
   * @param concurrency 1 to 100,000
   * @throws IllegalStateException if the worker shares a {@link WorkerPool}; change the pool's
   *     concurrency instead
   */
  void setConcurrency(int concurrency);

  /**
   * Stops the claims of this worker; running handlers continue, and workers of other processes are
   * not affected. {@link TimedQueue#pause} pauses a queue for all processes, and {@link
   * Punctual#pauseWorker} a worker of any process. Idempotent.
   */
  void pause();

  /**
   * Claims again after {@link #pause}, unless an operator has paused the worker too. Idempotent;
   * without effect on a closed worker.
   */
  void resume();

  /** Returns whether the worker is paused, by {@link #pause} or {@link Punctual#pauseWorker}. */
  boolean isPaused();

  /** Returns whether a close has begun. */
  boolean isClosed();

  /**
   * Waits until the worker is closed, and its handlers have ended or the worker no longer waits for
   * them.
   */
  void await() throws InterruptedException;

  /** Waits like {@link #await()}, for at most this time; returns whether the worker has ended. */
  boolean await(Duration time) throws InterruptedException;

  /** Closes the worker with the grace period of its options. */
  @Override
  void close();

  /** Closes the worker with this grace period. */
  void close(Duration grace);

  /**
   * The asynchronous form of {@link #close(Duration)}: the stage completes when the worker has
   * ended.
   */
  CompletionStage<@Nullable Void> closeAsync(Duration grace);
}
