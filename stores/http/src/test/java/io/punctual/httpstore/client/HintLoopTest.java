package io.punctual.httpstore.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.httpstore.wire.Place;
import io.punctual.spi.StoreUrl;
import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that an error does not end the wait for hints. */
final class HintLoopTest {
  private static final Place PLACE = new Place("orders", 0, 1);

  private final FailingTimer timer = new FailingTimer();
  private final Transport transport =
      new Transport(
          ServerAddress.of(StoreUrl.parse("http://127.0.0.1:1")),
          TokenSource.of(null),
          Duration.ofSeconds(1),
          Duration.ofSeconds(1),
          null,
          timer);

  /** A timer that runs nothing. */
  private static final class FailingTimer implements DueTimer {
    final List<Runnable> tasks = new ArrayList<>();

    /** Whether the timer takes no tasks, as if memory were short. */
    boolean fails;

    @Override
    public long nanoTime() {
      return 0;
    }

    @Override
    public Timeout schedule(long delayNanos, Runnable task) {
      if (fails) {
        throw new OutOfMemoryError("injected");
      }
      tasks.add(task);
      return () -> tasks.remove(task);
    }
  }

  @Test
  void timerFails_nextUseOfTheConnectionPlansTheRequest() {
    try (transport) {
      HintLoop hints = new HintLoop(transport, timer, "c");
      timer.fails = true;
      assertThatThrownBy(() -> hints.add(PLACE, until -> {})).isInstanceOf(OutOfMemoryError.class);
      timer.fails = false;
      assertThat(hints.connection()).isZero();
      assertThat(timer.tasks).hasSize(1);
      assertThat(hints.connection()).isZero();
      assertThat(timer.tasks).as("one request is planned").hasSize(1);
    }
  }
}
