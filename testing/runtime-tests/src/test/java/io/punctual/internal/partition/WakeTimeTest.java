package io.punctual.internal.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.internal.runtime.StepTimer;
import io.punctual.internal.runtime.TestEnvironment;
import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import org.junit.jupiter.api.Test;

class WakeTimeTest {
  private final StepTimer steps = new StepTimer();
  private boolean fails;
  private int wakeUps;

  private final DueTimer timer =
      new DueTimer() {
        @Override
        public long nanoTime() {
          return steps.nanoTime();
        }

        @Override
        public Timeout schedule(long delayNanos, Runnable task) {
          if (fails) {
            throw new OutOfMemoryError("injected");
          }
          return steps.schedule(delayNanos, task);
        }
      };

  private final WakeTime time = new WakeTime(TestEnvironment.of(timer), () -> wakeUps++);

  @Test
  void setTimer_afterAnErrorOfTheTimer_setsItAgain() {
    time.lower(timer.nanoTime(), 60_000_000);
    assertThat(time.setTimer()).isTrue();
    time.lower(timer.nanoTime(), 1_000_000);
    fails = true;
    assertThatThrownBy(time::setTimer).isInstanceOf(OutOfMemoryError.class);
    fails = false;
    assertThat(time.setTimer()).isTrue();
    steps.advanceMillis(1_000);
    assertThat(wakeUps).isOne();
  }
}
