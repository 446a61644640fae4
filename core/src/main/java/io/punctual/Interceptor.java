package io.punctual;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Code around schedules and handlers, on which tracing, logging contexts and metrics are built: see
 * {@link PunctualBuilder#interceptor}. Interceptors run in the order in which they were added, and
 * their ends in the opposite order.
 *
 * <p>Manual claims have no handler that an interceptor could surround, and dead handlers have no
 * interceptors: call tracing code there directly.
 *
 * <p>Exceptions of an interceptor are logged, and the schedule or the handler continues without it.
 * Interceptors must not block. Implementations are safe for use by many threads.
 */
public interface Interceptor {
  /**
   * Runs on the calling thread before a message is encoded and sent.
   *
   * @param id the message's id, also if the client generated it
   * @param headers the headers of the message; the interceptor may change the map, but not keep it
   * @return receives the end of the schedule; {@link Around#NOTHING} by default
   */
  default Around schedule(
      String queue, String id, Message<?> message, Map<String, String> headers) {
    return Around.NOTHING;
  }

  /**
   * Runs on the handler's thread before the handler of a worker.
   *
   * @param worker the worker of the handler
   * @param deliveries a single delivery, or the deliveries of a batch handler
   * @return receives the end of the handler; {@link Around#NOTHING} by default
   */
  default Around handle(Worker worker, List<? extends Delivery<?>> deliveries) {
    return Around.NOTHING;
  }

  /** Receives the end of a schedule or a handler. */
  interface Around {
    /** Ignores the end. */
    Around NOTHING = new Around() {};

    /**
     * The call returns, on the thread on which it began. Asynchronous schedules and handlers may
     * not have ended yet. For the end of scopes that belong to a thread.
     */
    default void returned() {}

    /**
     * The store has confirmed the schedule, or the handler has ended; on any thread. For an
     * asynchronous handler this is the end of its stage, or its time-out, or the end of the
     * worker's grace. The worker settles the message later.
     *
     * @param duration the time since the start
     * @param failure the failure, or null
     */
    default void ended(Duration duration, @Nullable Throwable failure) {}
  }
}
