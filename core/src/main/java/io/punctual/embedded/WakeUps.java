package io.punctual.embedded;

import io.punctual.internal.log.Logs;
import io.punctual.spi.Registration;
import io.punctual.spi.WakeUp;
import java.lang.ref.Reference;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;

/** The listeners for the wake-up hints of a partition. Safe for use by many threads. */
public final class WakeUps {
  private static final Logger log = Logs.of(WakeUps.class);

  private final List<RegisteredWakeUp> listeners = new CopyOnWriteArrayList<>();

  /**
   * Adds a listener.
   *
   * @param partition the object that calls the listeners; it stays in memory as long as the
   *     registration
   */
  public Registration add(WakeUp wakeUp, Object partition) {
    RegisteredWakeUp registered = new RegisteredWakeUp(wakeUp);
    listeners.add(registered);
    return () -> {
      try {
        listeners.remove(registered);
      } finally {
        Reference.reachabilityFence(partition);
      }
    };
  }

  /** Returns whether there are no listeners. */
  public boolean isEmpty() {
    return listeners.isEmpty();
  }

  /** Calls every listener. The caller must hold no lock of the store. */
  public void send(long untilNextMicros) {
    for (RegisteredWakeUp registered : listeners) {
      registered.call(untilNextMicros);
    }
  }

  /**
   * A registration of a listener. The class is not a record, because two records of the same
   * listener would be equal: closing one of them twice would also remove the other.
   */
  private static final class RegisteredWakeUp {
    private final WakeUp wakeUp;

    RegisteredWakeUp(WakeUp wakeUp) {
      this.wakeUp = wakeUp;
    }

    /**
     * Calls the listener, and logs its exception. The caller must not see the exception, because
     * the change that caused the hint has succeeded.
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
