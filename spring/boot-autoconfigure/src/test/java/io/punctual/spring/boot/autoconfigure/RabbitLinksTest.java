package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.ConnectionFactory;
import io.punctual.Punctual;
import io.punctual.rabbitmq.RabbitBridge;
import io.punctual.spring.ListenerDefaults;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Tests calls while links start and stop. No broker is at the address. */
class RabbitLinksTest {
  private static final PunctualRabbitProperties.Bridge BRIDGE =
      new PunctualRabbitProperties.Bridge("shop", null, "", null, 1, true, Duration.ofSeconds(30));

  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

  /** Asks for the health on a thread of its own, and notes when the answer is there. */
  private void ask(RabbitLinks links) {
    String answer =
        CompletableFuture.supplyAsync(() -> links.isRunning() + " " + links.available())
            .completeOnTimeout("no answer", 30, TimeUnit.SECONDS)
            .join();
    answers.add(answer);
  }

  @Test
  void available_duringStartAndStop_answersAtOnce() {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setPort(1);
    RabbitLinks[] links = new RabbitLinks[1];
    RabbitLinks.Meters asking =
        new RabbitLinks.Meters() {
          @Override
          public Runnable of(RabbitBridge started) {
            ask(links[0]);
            return () -> ask(links[0]);
          }
        };
    try (Punctual punctual = Punctual.open("memory:")) {
      links[0] =
          new RabbitLinks(
              punctual,
              new PunctualRabbitProperties(Map.of(), Map.of("reminders", BRIDGE)),
              ListenerDefaults.CORE,
              () -> new RabbitLinks.Connection(factory, List.of()),
              asking,
              null);
      links[0].start();
      assertThat(answers).containsExactly("true {}");
      links[0].stop();
      assertThat(answers).containsExactly("true {}", "false {bridge reminders=false}");
      assertThat(links[0].available()).isEmpty();
    }
  }

  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void stop_closeFails_isNamed_andTheOtherLinksEnd(CapturedOutput output) {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setPort(1);
    RabbitLinks.Meters failing =
        new RabbitLinks.Meters() {
          @Override
          public Runnable of(RabbitBridge started) {
            return () -> {
              answers.add(started.queue());
              throw new IllegalStateException("seeded");
            };
          }
        };
    try (Punctual punctual = Punctual.open("memory:")) {
      RabbitLinks links =
          new RabbitLinks(
              punctual,
              new PunctualRabbitProperties(Map.of(), Map.of("one", BRIDGE, "two", BRIDGE)),
              ListenerDefaults.CORE,
              () -> new RabbitLinks.Connection(factory, List.of()),
              failing,
              null);
      links.start();

      links.stop();

      assertThat(answers).containsExactlyInAnyOrder("one", "two");
      assertThat(output)
          .contains("The bridge one can't be closed", "The bridge two can't be closed", "seeded");
    }
  }
}
