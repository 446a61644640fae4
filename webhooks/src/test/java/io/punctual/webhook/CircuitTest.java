package io.punctual.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.TimedQueue;
import io.punctual.http.webhook.WebhookSpec;
import io.punctual.http.webhook.WebhookState;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Open circuits whose state or trial is not in the store. */
final class CircuitTest {
  private static final Duration STEP = Duration.ofSeconds(5);

  private final Fixture fixture = Fixture.manual();
  private final Receiver receiver = fixture.receiver(Receiver.answering(500));
  private final TimedQueue<byte[]> records = fixture.queue(WebhookSpec.OWN_QUEUES + "webhooks");
  private final TimedQueue<byte[]> trials =
      fixture.queue(WebhookSpec.OWN_QUEUES + "webhook-trials");

  @AfterEach
  void close() {
    fixture.close();
  }

  private void open(WebhookService service) {
    fixture.put(service, Fixture.spec("crm", "orders", receiver.url()));
    for (int i = 0; i < Target.MOST_FAILURES; i++) {
      fixture.schedule("orders", "order-" + i);
    }
    Fixture.patiently().until(() -> records.find("state/crm").isPresent());
    assertThat(Fixture.state(service, "crm")).isEqualTo(WebhookState.Kind.OPEN);
    receiver.answer(Receiver.answering(200));
  }

  @Test
  void openStateThatIsNotInTheStore_ends() {
    WebhookService service = fixture.start();
    open(service);
    // As after a write that has failed.
    records.cancel("state/crm");
    fixture.advanceUntil(STEP, () -> receiver.requests().size() == 2 * Target.MOST_FAILURES);
    assertThat(Fixture.state(service, "crm")).isEqualTo(WebhookState.Kind.ON);
  }

  @Test
  void closedCircuit_isSeenByProcessThatWasNotTold() {
    WebhookService one = fixture.start();
    WebhookService other = fixture.start();
    open(one);
    fixture.advanceUntil(
        Duration.ofSeconds(1),
        () ->
            other.find("crm").isPresent() && Fixture.state(other, "crm") == WebhookState.Kind.OPEN);
    // The version stays the same, as after a process that has ended before it could write it.
    records.schedule(
        Message.of(WebhookState.on(fixture.clock.instant()).toBytes())
            .id("state/crm")
            .dueIn(Duration.ofDays(1)),
        IfPresent.REPLACE);
    fixture.advanceUntil(
        STEP,
        () ->
            Fixture.state(one, "crm") == WebhookState.Kind.ON
                && Fixture.state(other, "crm") == WebhookState.Kind.ON);
  }

  @Test
  void openCircuitWithoutTrial_isTriedAgain() {
    WebhookService service = fixture.start();
    open(service);
    trials.cancel("crm");
    fixture.advanceUntil(STEP, () -> Fixture.state(service, "crm") == WebhookState.Kind.ON);
    Fixture.patiently()
        .until(
            () ->
                WebhookState.parse(records.find("state/crm").orElseThrow().payloadBytes()).kind()
                    == WebhookState.Kind.ON);
  }
}
