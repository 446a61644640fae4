package io.punctual;

/**
 * Processes a message. When the handler returns, the worker acks the delivery unless the handler
 * has settled it. When the handler throws, the worker applies the {@link RetryPolicy}.
 *
 * <p>Up to {@link WorkerOptions#concurrency()} threads call the handler at once. A message can be
 * delivered more than once, after a crash or a lost lease: make the processing idempotent, or guard
 * it with {@link Delivery#fencingToken()}.
 *
 * @param <T> the payload's type
 */
@FunctionalInterface
public interface Handler<T> {
  /**
   * Handles one delivery; may block. The worker interrupts the handler at the time-out, at the end
   * of the grace period of a close, and at the loss of the lease if {@link
   * WorkerOptions#interruptOnLeaseLost()} is set. A handler that returns after an interrupt may
   * have swallowed the interrupt and left its work half done. So the worker does not ack the
   * delivery: after a time-out, it counts a failed attempt; otherwise it releases the delivery. A
   * delivery that the handler has settled by itself stays settled.
   */
  void handle(Delivery<T> delivery) throws Exception;
}
