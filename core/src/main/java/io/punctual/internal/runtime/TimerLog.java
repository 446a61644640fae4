package io.punctual.internal.runtime;

import io.punctual.timer.WheelTimer;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the failures of a client's timer to the logger {@code io.punctual.timer}. */
public final class TimerLog {
  private static final Logger log = LoggerFactory.getLogger("io.punctual.timer");

  private TimerLog() {}

  /** Returns a new timer that reports its failures here. */
  public static WheelTimer timer() {
    return WheelTimer.builder().onFailure((task, failure) -> report(failure)).build();
  }

  private static void report(Throwable failure) {
    if (failure instanceof TimeoutException) {
      log.warn(
          "The timer is held up, so leases and due times are late; move blocking code out of"
              + " callbacks and event observers",
          failure);
    } else {
      log.error("A task of the timer failed; please report this", failure);
    }
  }
}
