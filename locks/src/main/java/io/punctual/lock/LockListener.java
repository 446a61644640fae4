package io.punctual.lock;

/**
 * Receives the events of the locks of a {@link RedisLocks}, on the threads that cause the events. A
 * listener must not block. If a listener throws an exception, the locks log the exception.
 */
@FunctionalInterface
public interface LockListener {
  /** Receives an event. */
  void on(LockEvent event);
}
