package io.punctual.lock;

/**
 * Is told what happens to the locks of a {@link RedisLocks}. Called on the thread on which it
 * happened, which must not be blocked; what it throws is logged and changes nothing.
 */
@FunctionalInterface
public interface LockListener {
  /** Takes note of an event. */
  void on(LockEvent event);
}
