package io.punctual.event;

/**
 * Receives the events of a client, on the thread that caused the event. The listener must not
 * block. Exceptions of a listener are logged and have no other effect.
 */
@FunctionalInterface
public interface EventListener {
  /** Receives an event. */
  void on(Event event);
}
