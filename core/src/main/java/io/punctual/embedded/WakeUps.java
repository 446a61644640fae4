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

  private final List<RegisteredWakeUp> listeners = new CopyOnWriteArrayList<>();

  public Registration add(WakeUp wakeUp) {
    RegisteredWakeUp registered = new RegisteredWakeUp(wakeUp);
    listeners.add(registered);
    return () -> listeners.remove(registered);
  }

  /** Calls every listener. The caller must hold no lock of the store. */
  public void send(long untilNextMicros) {
    for (RegisteredWakeUp registered : listeners) {
      registered.call(untilNextMicros);
    }
  }

  /** A class instead of a record, so that a listener that registers twice is called twice. */
  private static final class RegisteredWakeUp {
    private final WakeUp wakeUp;

    RegisteredWakeUp(WakeUp wakeUp) {
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
