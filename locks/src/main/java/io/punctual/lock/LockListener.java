package io.punctual.lock;

/**
 * Receives the events of the locks of a {@link RedisLocks}, on the thread that caused them. A
 * listener must not block. The locks log an exception that it throws.
 */
@FunctionalInterface
public interface LockListener {
  /** Receives an event. */
  void on(LockEvent event);
}
