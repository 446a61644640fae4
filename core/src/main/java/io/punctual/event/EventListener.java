package io.punctual.event;

/**
 * Is told what happens in this process. Called on the thread on which it happened, which must not
 * be blocked; what it throws is logged and changes nothing. With no listener, no event is made.
 */
@FunctionalInterface
public interface EventListener {
  /** Takes note of an event. */
  void on(Event event);
}
