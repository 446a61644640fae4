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
  /** Starts handling one delivery; a time-out cannot interrupt it, but stops waiting for it. */
  CompletionStage<?> handle(Delivery<T> delivery) throws Exception;
}
