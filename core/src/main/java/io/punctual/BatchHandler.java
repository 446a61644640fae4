package io.punctual;

import java.util.List;

/**
 * Processes several messages at once. The handler may settle deliveries itself. When it returns,
 * the worker acks the unsettled deliveries; when it throws, the worker applies the {@link
 * RetryPolicy} to them. So after a partial failure, a handler settles the failed deliveries and
 * returns, or acks the successful deliveries and throws.
 *
 * @param <T> the payload's type
 */
@FunctionalInterface
public interface BatchHandler<T> {
  /**
   * Handles between one and {@link WorkerOptions#batchSize()} deliveries, in the order in which the
   * worker claimed them. The worker interrupts the handler as described at {@link Handler#handle}.
   */
  void handle(List<Delivery<T>> deliveries) throws Exception;
}
