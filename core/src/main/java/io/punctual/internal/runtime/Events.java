package io.punctual.internal.runtime;

import io.punctual.event.Event;
import io.punctual.event.EventObserver;
import io.punctual.internal.log.Logs;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;

/**
 * Publishes events to the observers. Creates no event object if there are no observers.
 * Thread-safe.
 */
public final class Events {
  private static final Logger log = Logs.of(Events.class);

  private final List<EventObserver> observers;

  /** Creates a publisher for these observers. */
  public Events(List<EventObserver> observers) {
    this.observers = List.copyOf(observers);
  }

  public boolean hasObservers() {
    return !observers.isEmpty();
  }

  public void publish(Supplier<? extends Event> event) {
    if (!observers.isEmpty()) {
      notifyObservers(event.get());
    }
  }

  private void notifyObservers(Event event) {
    for (EventObserver observer : observers) {
      try {
        observer.on(event);
      } catch (Throwable e) {
        log.warn("An event observer threw on {}; fix the observer", event, e);
      }
    }
  }
}
