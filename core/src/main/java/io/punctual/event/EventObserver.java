package io.punctual.event;

/**
 * Receives the events of a client, on the thread that caused the event. The observer must not
 * block. The client logs an observer's exceptions, which have no other effect.
 */
@FunctionalInterface
public interface EventObserver {
  /** Receives an event. */
  void on(Event event);
}
