package io.punctual.spring.boot.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.spring.PunctualListener;
import io.punctual.spring.PunctualTemplate;
import io.punctual.spring.boot.autoconfigure.PunctualAutoConfiguration;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Tests a listener that does not return when its context closes. */
class StuckListenerTest {
  private static final ApplicationContextRunner RUNNER =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  PunctualTestAutoConfiguration.class, PunctualAutoConfiguration.class));

  static class Stuck {
    final CountDownLatch called = new CountDownLatch(1);
    final CountDownLatch interrupted = new CountDownLatch(1);
    final AtomicBoolean end = new AtomicBoolean();

    @PunctualListener("stuck")
    void handle(String text) {
      called.countDown();
      while (!end.get()) {
        if (Thread.interrupted()) {
          interrupted.countDown();
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
      }
    }
  }

  /**
   * Without the help of the test support, the context would wait for a clock that no test advances.
   */
  @Test
  @Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void stuckListener_isInterrupted_andTheContextCloses() throws Exception {
    Stuck listener = new Stuck();
    RUNNER
        .withBean(Stuck.class, () -> listener)
        .run(
            context -> {
              context.getBean(PunctualTemplate.class).schedule("stuck", "x", Duration.ZERO);
              assertThat(listener.called.await(60, TimeUnit.SECONDS)).isTrue();
            });
    assertThat(listener.interrupted.await(60, TimeUnit.SECONDS)).isTrue();
    listener.end.set(true);
  }
}
