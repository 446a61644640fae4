package io.punctual.embedded;

import io.punctual.spi.Registration;
import io.punctual.spi.WakeUp;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners for the hints of a partition. Safe for use by many threads. */
public final class WakeUps {
  private static final Logger log = LoggerFactory.getLogger(WakeUps.class);

  private final List<Listener> listeners = new CopyOnWriteArrayList<>();

  public Registration add(WakeUp wakeUp) {
    Listener listener = new Listener(wakeUp);
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  /** Calls every listener. The caller must hold no lock of the store. */
  public void send(long untilNextMicros) {
    for (Listener listener : listeners) {
      listener.call(untilNextMicros);
    }
  }

  /** A class and not a record, so that a listener that registers twice is called twice. */
  private static final class Listener {
    private final WakeUp wakeUp;

    Listener(WakeUp wakeUp) {
      this.wakeUp = wakeUp;
    }

    /**
     * Logs an exception of the listener: the change behind the hint has been made and did not fail.
     */
    void call(long untilNextMicros) {
      try {
        wakeUp.wakeUp(untilNextMicros);
      } catch (RuntimeException e) {
        log.warn("A wake-up listener failed; it should not throw", e);
      }
    }
  }
}
