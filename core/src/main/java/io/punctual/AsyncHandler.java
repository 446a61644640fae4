package io.punctual;

import java.util.concurrent.CompletionStage;

/**
 * Processes a message without holding a thread. When the stage completes, the worker settles the
 * delivery, unless the handler has settled it: the worker acks the delivery after a normal
 * completion, and applies the {@link RetryPolicy} after a failure.
 *
 * @param <T> the payload's type
 */
@FunctionalInterface
public interface AsyncHandler<T> {
  /**
   * Starts to process one delivery. At the handler's time-out, and at the end of the worker's grace
   * period, the worker cancels the stage and stops waiting for it: a time-out counts as a failed
   * attempt, and the end of the grace period releases the delivery. A lost lease cancels the stage
   * if {@link WorkerOptions#interruptOnLeaseLost()} is set. A stage that closes its worker calls
   * {@link Worker#closeAsync}, because {@code close} waits for the stage.
   *
   * @return the stage that completes when the processing has ended; never null
   */
  CompletionStage<?> handle(Delivery<T> delivery) throws Exception;
}
