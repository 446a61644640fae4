package io.punctual.internal.runtime;

import io.punctual.event.Event;
import io.punctual.event.EventListener;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Publishes events to the listeners; creates no event if there are no listeners. Thread-safe. */
public final class Events {
  private static final Logger log = LoggerFactory.getLogger(Events.class);

  private final List<EventListener> listeners;

  /** Creates a publisher for these listeners. */
  public Events(List<EventListener> listeners) {
    this.listeners = List.copyOf(listeners);
  }

  public void publish(Supplier<? extends Event> event) {
    if (!listeners.isEmpty()) {
      notifyListeners(event.get());
    }
  }

  private void notifyListeners(Event event) {
    for (EventListener listener : listeners) {
      try {
        listener.on(event);
      } catch (Throwable e) {
        log.warn("An event listener threw on {}; fix the listener", event, e);
      }
    }
  }
}
