package io.punctual;

/**
 * Does the work of a message. When it returns, the delivery is acked unless it was settled by hand;
 * when it throws, the {@link RetryPolicy} decides.
 *
 * <p>Called by many threads at once, as many as {@link WorkerOptions#concurrency()}. A message can
 * come more than once: after a crash, or when a lease was lost; make the work repeatable, or guard
 * it with {@link Delivery#fencingToken()}.
 *
 * @param <T> the payload's type
 */
@FunctionalInterface
public interface Handler<T> {
  /** Handles one delivery; may block, and is interrupted at the time-out and at shutdown. */
  void handle(Delivery<T> delivery) throws Exception;
}
