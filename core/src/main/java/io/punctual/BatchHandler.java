package io.punctual;

import java.util.List;

/**
 * Does the work of several messages at once. When it returns, the deliveries that were not settled
 * by hand are acked; when it throws, they are retried by the {@link RetryPolicy}. So a batch that
 * fails in part settles its failures by hand and returns, or its successes and throws.
 *
 * @param <T> the payload's type
 */
@FunctionalInterface
public interface BatchHandler<T> {
  /** Handles between one and {@link WorkerOptions#batchSize()} deliveries, earliest due first. */
  void handle(List<Delivery<T>> deliveries) throws Exception;
}
