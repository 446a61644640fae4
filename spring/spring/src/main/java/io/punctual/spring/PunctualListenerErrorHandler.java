package io.punctual.spring;

import io.punctual.Delivery;
import java.util.List;

/**
 * Handles the failures of a listener's method. When {@link #handle} returns, the worker acks the
 * deliveries that are not settled. When {@link #handle} throws, the worker applies the retry policy
 * to the exception. An error handler that rethrows the failure therefore changes nothing. When
 * {@link #handle} returns after the worker interrupted the method, the worker does not ack: after a
 * time-out the attempt counts as failed, and after the shutdown or a lost lease the deliveries are
 * released. Implementations are safe for use by many threads.
 */
@FunctionalInterface
public interface PunctualListenerErrorHandler {
  /**
   * Handles a failure, on the thread of the method or on the thread that completed its result.
   *
   * @param deliveries a single delivery, or the deliveries of a batch
   * @param failure the exception or error of the method or of its result
   */
  void handle(List<? extends Delivery<?>> deliveries, Throwable failure) throws Exception;
}
