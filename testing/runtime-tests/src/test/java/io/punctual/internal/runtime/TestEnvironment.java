package io.punctual.internal.runtime;

import io.punctual.event.EventObserver;
import io.punctual.internal.message.Recurrences;
import io.punctual.timer.DueTimer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;

/** Creates environments on a timer of the test, with random numbers of a fixed seed. */
public final class TestEnvironment {
  private TestEnvironment() {}

  /** Returns an environment in which operations wait for their answers for a minute at most. */
  public static Environment of(DueTimer timer, EventObserver... observers) {
    return of(timer, InstantSource.system(), Duration.ofMinutes(1), observers);
  }

  public static Environment of(
      DueTimer timer, InstantSource clock, Duration operationTimeout, EventObserver... observers) {
    return new Environment(
        timer,
        clock,
        () -> new Random(1),
        new Events(List.of(observers)),
        Interceptors.none(),
        new Callbacks(null),
        1 << 20,
        operationTimeout,
        Environment.DEFAULT_BLOCKING_TIMEOUT,
        5000,
        new Backlog(Backlog.defaultLimit()),
        new Recurrences(),
        new LastFailure());
  }
}
