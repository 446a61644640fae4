package io.punctual.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.http.webhook.WebhookSpec;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A target of more queues than a page of their listing has. */
final class ManyQueuesTest {
  private static final int QUEUES = 1001;

  private final Fixture fixture = Fixture.manual();

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void prefixTarget_takesTheQueuesOfAllPages() {
    Receiver receiver = fixture.receiver(Receiver.answering(200));
    for (int i = 0; i < QUEUES; i++) {
      fixture.queue("orders." + (1000 + i)).pause();
    }
    String last = "orders." + (999 + QUEUES);
    fixture.queue(last).resume();
    fixture.schedule(last, "a");
    WebhookService service = fixture.start();
    WebhookSpec usual = Fixture.spec("crm", "orders.", receiver.url());
    fixture.put(
        service,
        new WebhookSpec(
            "crm",
            "orders.",
            true,
            usual.url(),
            List.of(),
            2,
            0,
            usual.per(),
            usual.timeout(),
            usual.retries()));
    fixture.advanceUntil(Duration.ofSeconds(5), () -> receiver.requests().size() == 1);
    assertThat(receiver.requests().get(0).header("webhook-id")).isEqualTo("orders%2E2000:a");
  }
}
