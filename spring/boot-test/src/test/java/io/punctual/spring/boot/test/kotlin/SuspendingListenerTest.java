package io.punctual.spring.boot.test.kotlin;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.spring.PunctualTemplate;
import io.punctual.spring.boot.autoconfigure.PunctualAutoConfiguration;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import kotlin.Unit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Tests suspending listeners that are written in Kotlin. */
class SuspendingListenerTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(PunctualAutoConfiguration.class))
          .withPropertyValues(
              "punctual.url=memory:",
              "punctual.listener.retry.type=fixed",
              "punctual.listener.retry.first=1ms")
          .withBean(SuspendingListener.class);

  private static String next(SuspendingListener listener) throws InterruptedException {
    return listener.getReceived().poll(60, TimeUnit.SECONDS);
  }

  @Test
  void failureAfterASuspension_isRetried_andTheResultAcks() {
    runner.run(
        context -> {
          SuspendingListener listener = context.getBean(SuspendingListener.class);
          TimedQueue<String> queue =
              context.getBean(Punctual.class).queue("orders", Codec.string());
          context.getBean(PunctualTemplate.class).schedule("orders", "42", Duration.ZERO);
          assertThat(next(listener)).isEqualTo("42 1");
          assertThat(next(listener)).isEqualTo("42 2");
          assertThat(queue.counts().leased()).isEqualTo(1);
          listener.getGate().complete(Unit.INSTANCE);
          while (queue.counts().leased() > 0) {
            Thread.onSpinWait();
          }
          assertThat(queue.counts().pending()).isZero();
          assertThat(queue.counts().dead()).isZero();
        });
  }

  @Test
  void list_isABatch() {
    runner.run(
        context -> {
          context.getBean(PunctualTemplate.class).schedule("batches", "a", Duration.ZERO);
          assertThat(next(context.getBean(SuspendingListener.class))).isEqualTo("a");
        });
  }
}
