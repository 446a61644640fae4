package io.punctual.lock.internal.attempt;

import io.punctual.lock.internal.hold.Watchdog;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The cohorts of a client, each under the name of its mutex. A cohort is the group of this client's
 * attempts for that mutex. It exists while an attempt waits or holds the mutex. Thread-safe.
 */
final class Cohorts {
  private final Watchdog watchdog;
  private final ConcurrentHashMap<String, Cohort> cohorts = new ConcurrentHashMap<>();

  Cohorts(Watchdog watchdog) {
    this.watchdog = watchdog;
  }

  /**
   * Announces an attempt to the cohort of this name, and returns the cohort. The cohort exists at
   * least until the announced attempt has entered it, and has ended or released the mutex.
   */
  Cohort expect(String name) {
    return cohorts.compute(
        name, (key, there) -> there != null && there.expect() ? there : expect(create(name)));
  }

  private static Cohort expect(Cohort fresh) {
    fresh.expect();
    return fresh;
  }

  private Cohort create(String name) {
    return new Cohort(watchdog, left -> cohorts.remove(name, left));
  }

  int size() {
    return cohorts.size();
  }
}
