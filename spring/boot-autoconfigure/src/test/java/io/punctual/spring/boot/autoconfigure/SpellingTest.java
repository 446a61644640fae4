package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Punctual;
import io.punctual.spring.PunctualListener;
import io.punctual.spring.PunctualQueues;
import io.punctual.spring.PunctualTemplate;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Tests that misspelled properties and queues are named. */
@ExtendWith(OutputCaptureExtension.class)
class SpellingTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  PunctualAutoConfiguration.class, PunctualHealthAutoConfiguration.class))
          .withPropertyValues("punctual.url=memory:")
          .withBean(Closing.class);

  static class Closing {
    @PunctualListener("order-timeouts")
    void close(String orderId) {}
  }

  @ParameterizedTest
  @CsvSource({
    "punctual.listner.concurrency, punctual.listener.concurrency",
    "punctual.listener.concurency, punctual.listener.concurrency",
    "punctual.listener.retry.max-attemps, punctual.listener.retry.max-attempts",
    "punctual.queue.order-timeouts.lease, punctual.queues.order-timeouts.lease",
    "punctual.queues.order-timeouts.leese, punctual.queues.order-timeouts.lease",
    "punctual.redis.name-spaces, punctual.redis.namespace",
    "punctual.metrics.refesh, punctual.metrics.refresh",
    "punctual.rabbitmq.intake.orders.source, punctual.rabbitmq.intakes.orders.source"
  })
  void misspelledProperty_isNamedWithTheNearest(String wrong, String right, CapturedOutput output) {
    runner
        .withPropertyValues(wrong + "=1")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(output)
                  .contains(
                      "The property "
                          + wrong
                          + " has no effect, because Punctual has no such property; did you mean "
                          + right
                          + "?");
            });
  }

  @Test
  void propertyOfAQueueWithoutAListener_isNamedWithTheNearest(CapturedOutput output) {
    runner
        .withPropertyValues(
            "punctual.queues.order-timouts.lease=10s", "punctual.queues.other.lease=10s")
        .run(
            context ->
                assertThat(output)
                    .contains("punctual.queues.order-timouts.*")
                    .contains("did you mean the queue 'order-timeouts'?")
                    .contains("punctual.queues.other.*"));
  }

  @Test
  void correctProperties_areNotNamed(CapturedOutput output) {
    runner
        .withPropertyValues(
            "punctual.listener.retry.delays=1s,10s",
            "punctual.listener.retry.max-attempts=10",
            "punctual.listener.handlerTimeout=10s",
            "punctual.queues.order-timeouts.retry.delays[0]=1s",
            "punctual.queues.[order-timeouts].lease=10s",
            "punctual.observation.enabled=false",
            "punctual.transaction.mode=none",
            "punctualish.name=x")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              // The build gives its tests system properties that begin with punctual.
              assertThat(output.toString().lines())
                  .filteredOn(line -> !line.contains("systemProperties"))
                  .noneMatch(line -> line.contains("no effect"));
            });
  }

  @Test
  void queueWithDueMessagesAndNoWorker_isNamedWithTheNearest(CapturedOutput output) {
    runner.run(
        context -> {
          context.getBean(PunctualTemplate.class).schedule("order-timeout", "42", Duration.ZERO);
          context.getBean(PunctualTemplate.class).schedule("order-timeouts", "42", Duration.ZERO);
          context.getBean(PunctualTemplate.class).schedule("later", "42", Duration.ofHours(1));
          Punctual punctual = context.getBean(Punctual.class);
          await()
              .atMost(Duration.ofMinutes(1))
              .until(
                  () ->
                      context
                              .getBean(PunctualQueues.class)
                              .get("order-timeout", String.class)
                              .counts()
                              .ready()
                          == 1);
          QueueWatch watch = context.getBean(QueueWatch.class);
          watch.check(punctual, Duration.ZERO);
          watch.check(punctual, Duration.ZERO);
          assertThat(output.toString().split("no worker of any process", -1)).hasSize(2);
          assertThat(output)
              .contains("Queue 'order-timeout' has 1 due messages")
              .contains("did you mean the queue 'order-timeouts'?");
          HealthIndicator health = context.getBean(HealthIndicator.class);
          assertThat(health.health().getStatus()).isEqualTo(Status.UP);
          assertThat(health.health().getDetails())
              .containsEntry("queuesWithoutWorker", Set.of("order-timeout"));
          context
              .getBean(PunctualQueues.class)
              .get("order-timeout", String.class)
              .work(delivery -> {});
          watch.check(punctual, Duration.ZERO);
          assertThat(watch.unworkedQueues()).isEmpty();
        });
  }
}
