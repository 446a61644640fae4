package io.punctual.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.http.webhook.WebhookRecord;
import io.punctual.http.webhook.WebhookSpec;
import io.punctual.http.webhook.WebhookState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Targets that are deleted while their calls run, and what they leave. */
final class DeletionTest {
  private static final Duration STEP = Duration.ofSeconds(5);

  private final Fixture fixture = Fixture.manual();
  private final CountDownLatch deleted = new CountDownLatch(1);
  private final TimedQueue<byte[]> records = fixture.queue(WebhookSpec.OWN_QUEUES + "webhooks");
  private final TimedQueue<byte[]> trials =
      fixture.queue(WebhookSpec.OWN_QUEUES + "webhook-trials");

  @AfterEach
  void close() {
    deleted.countDown();
    fixture.close();
  }

  /** Answers after the target has been deleted. */
  private Receiver receiver(int status) {
    return fixture.receiver(
        (request, out, socket) -> {
          deleted.await();
          Receiver.write(out, status, "");
        });
  }

  /** Returns when what was written to the records before has been written. */
  private void awaitWrites() {
    records.schedule(Message.of(new byte[0]).id("marker").dueIn(Duration.ofDays(1)));
  }

  private void store(String name, WebhookState.Kind kind) {
    records.schedule(
        Message.of(new WebhookState(kind, "test", fixture.clock.instant()).toBytes())
            .id("state/" + name)
            .dueIn(Duration.ofDays(1)),
        IfPresent.REPLACE);
  }

  @Test
  void goneAfterDeletion_doesNotDisableNewTargetOfThatName() {
    Receiver receiver = receiver(410);
    WebhookService service = fixture.start();
    fixture.put(service, Fixture.spec("crm", "orders", receiver.url()));
    fixture.schedule("orders", "order-1");
    receiver.awaitRequests(1);
    Fixture.get(service.delete("crm"));
    receiver.answer(Receiver.answering(200));
    fixture.put(service, Fixture.spec("crm", "orders", receiver.url()));
    deleted.countDown();
    receiver.awaitRequests(2);
    awaitWrites();
    assertThat(records.find("state/crm")).isEmpty();
  }

  @Test
  void failuresAfterDeletion_openNoCircuit() {
    Receiver receiver = receiver(500);
    WebhookService service = fixture.start();
    fixture.put(service, Fixture.spec("crm", "orders", receiver.url()));
    for (int i = 0; i < Target.MOST_FAILURES; i++) {
      fixture.schedule("orders", "order-" + i);
    }
    receiver.awaitRequests(Target.MOST_FAILURES);
    Fixture.get(service.delete("crm"));
    deleted.countDown();
    Fixture.patiently()
        .until(() -> fixture.queue("orders").counts().scheduled() == Target.MOST_FAILURES);
    awaitWrites();
    assertThat(records.find("state/crm")).isEmpty();
    assertThat(trials.find("crm")).isEmpty();
  }

  @Test
  void stateOfTargetThatAnotherProcessHasDeleted_isTakenBack() {
    Receiver receiver = receiver(410);
    WebhookService one = fixture.start();
    fixture.put(one, Fixture.spec("crm", "orders", receiver.url()));
    fixture.schedule("orders", "order-1");
    receiver.awaitRequests(1);
    WebhookService other = fixture.start();
    Fixture.patiently().until(() -> other.find("crm").isPresent());
    Fixture.get(other.delete("crm"));
    assertThat(one.find("crm")).isPresent();
    deleted.countDown();
    Fixture.patiently().until(() -> Fixture.state(one, "crm") == WebhookState.Kind.DISABLED);
    Fixture.patiently().until(() -> fixture.queue("orders").counts().leased() == 0);
    awaitWrites();
    Fixture.patiently().until(() -> records.find("state/crm").isEmpty());
  }

  @Test
  void newTarget_beginsWithoutStateThatIsLeft() {
    store("crm", WebhookState.Kind.DISABLED);
    Receiver receiver = fixture.receiver(Receiver.answering(200));
    WebhookService service = fixture.start();
    fixture.put(service, Fixture.spec("crm", "orders", receiver.url()));
    assertThat(records.find("state/crm")).isEmpty();
    fixture.schedule("orders", "order-1");
    receiver.awaitRequests(1);
  }

  @Test
  void trialOfAClosedCircuit_ends() {
    trials.schedule(Message.of(new byte[0]).id("gone").dueIn(Duration.ZERO));
    WebhookService unused = fixture.start();
    fixture.advanceUntil(STEP, () -> trials.find("gone").isEmpty());
  }

  private boolean isDeferred(String trial) {
    return trials.find(trial).orElseThrow().state() == State.SCHEDULED;
  }

  @Test
  void openCircuitOfConfiguredTarget_thatComesBack_isTriedAgain() {
    store("crm", WebhookState.Kind.OPEN);
    trials.schedule(Message.of(new byte[0]).id("crm").dueIn(Duration.ZERO));
    WebhookService service = fixture.start();
    fixture.advanceUntil(STEP, () -> isDeferred("crm"));
    Receiver receiver = fixture.receiver(Receiver.answering(200));
    WebhookSpec spec = Fixture.spec("crm", "orders", receiver.url());
    service.configure(List.of(new WebhookRecord(spec, List.of(fixture.key()))), fixture.rules());
    fixture.schedule("orders", "order-1");
    fixture.advanceUntil(STEP, () -> !receiver.requests().isEmpty());
    Fixture.patiently().until(() -> Fixture.state(service, "crm") == WebhookState.Kind.ON);
  }
}
