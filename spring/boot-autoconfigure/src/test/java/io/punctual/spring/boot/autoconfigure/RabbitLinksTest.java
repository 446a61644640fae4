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

/** Tests calls while links start and stop. No broker is at the address. */
class RabbitLinksTest {
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
    PunctualRabbitProperties.Bridge bridge =
        new PunctualRabbitProperties.Bridge(
            "shop", null, "", null, 1, true, Duration.ofSeconds(30));
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
              new PunctualRabbitProperties(Map.of(), Map.of("reminders", bridge)),
              ListenerDefaults.CORE,
              () -> new RabbitLinks.Connection(factory, List.of()),
              asking);
      links[0].start();
      assertThat(answers).containsExactly("true {}");
      links[0].stop();
      assertThat(answers).containsExactly("true {}", "false {bridge reminders=false}");
      assertThat(links[0].available()).isEmpty();
    }
  }
}
