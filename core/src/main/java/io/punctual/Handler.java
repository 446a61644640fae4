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
  /** Handles one delivery; may block, and is interrupted at the time-out and at shutdown. */
  void handle(Delivery<T> delivery) throws Exception;
}
