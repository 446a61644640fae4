package io.punctual;

import java.util.concurrent.CompletionStage;

/**
 * Does the work of a message without holding a thread: the delivery is settled when the stage
 * completes, as by a {@link Handler} that returns or throws then.
 *
 * @param <T> the payload's type
 */
@FunctionalInterface
public interface AsyncHandler<T> {
  /**
   * Starts handling one delivery. A time-out and the end of the worker's grace cancel the stage and
   * wait for it no longer; a lost lease does if {@link WorkerOptions#interruptOnLeaseLost()} is
   * set.
   */
  CompletionStage<?> handle(Delivery<T> delivery) throws Exception;
}
