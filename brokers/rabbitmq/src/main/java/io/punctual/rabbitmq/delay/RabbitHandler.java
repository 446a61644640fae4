package io.punctual.rabbitmq.delay;

/**
 * Processes a message. When the handler returns, the worker acks the delivery unless the handler
 * has settled it. When the handler throws, the worker applies the {@link io.punctual.RetryPolicy}.
 *
 * <p>Up to {@link io.punctual.WorkerOptions#concurrency()} threads call the handler at the same
 * time. A message can be delivered more than once, so make the processing idempotent.
 *
 * @param <T> the payload's type
 */
@FunctionalInterface
public interface RabbitHandler<T> {
  /**
   * Handles one delivery; may block, and is interrupted at shutdown when the grace period has
   * passed.
   */
  void handle(RabbitDelivery<T> delivery) throws Exception;
}
