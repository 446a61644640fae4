package io.punctual.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.http.webhook.WebhookAttempt;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The log of calls: it is bounded, in pages, and forgets. */
final class DeliveryLogTest {
  private static final String QUEUE = "punctual.server.webhook-log.crm";

  private final Fixture fixture = Fixture.manual();
  private final DeliveryLog log = new DeliveryLog(fixture.punctual, fixture.timer(), Runnable::run);

  @AfterEach
  void close() {
    fixture.close();
  }

  private void add(int number) {
    add(log, number);
  }

  private void add(DeliveryLog to, int number) {
    to.add(
        "crm",
        new WebhookAttempt(
            fixture.clock.instant().plusMillis(number),
            "orders",
            "order-" + number,
            1,
            200,
            5,
            WebhookAttempt.Outcome.DELIVERED,
            "",
            null,
            new byte[] {1, 2, 3},
            Map.of("a", "b")));
  }

  @Test
  void newCalls_replaceTheOldestOnes() {
    for (int i = 0; i < DeliveryLog.MOST_KEPT + 500; i++) {
      add(i);
      if (i % 100 == 0) {
        fixture.advance(Duration.ofMillis(200));
      }
    }
    Set<String> ids = new HashSet<>();
    Optional<String> cursor = Optional.empty();
    do {
      var page = Fixture.get(log.page("crm", cursor, 300));
      page.items().forEach(each -> ids.add(each.id()));
      cursor = page.next();
    } while (cursor.isPresent());
    assertThat(ids).hasSize(DeliveryLog.MOST_KEPT);
    assertThat(ids).contains("order-500", "order-1499").doesNotContain("order-499");
    assertThat(fixture.queue(QUEUE).counts().scheduled()).isEqualTo(DeliveryLog.MOST_KEPT);
  }

  @Test
  void call_comesBackAsItWas() {
    add(7);
    WebhookAttempt read = Fixture.get(log.page("crm", Optional.empty(), 10)).items().get(0);
    assertThat(read.id()).isEqualTo("order-7");
    assertThat(read.payload()).containsExactly(1, 2, 3);
    assertThat(read.headers()).containsEntry("a", "b");
  }

  @Test
  void oldCalls_areForgotten_andTheLogOfADeletedTargetToo() {
    add(1);
    Fixture.get(log.flush());
    fixture.advance(DeliveryLog.KEPT.plusSeconds(1));
    add(2);
    Fixture.get(log.flush());
    Fixture.get(log.forget("crm"));
    assertThat(fixture.queue(QUEUE).counts().ready()).isZero();
    assertThat(fixture.queue(QUEUE).counts().scheduled()).isOne();
    Fixture.get(log.delete("crm"));
    assertThat(fixture.punctual.queues()).doesNotContain(QUEUE);
  }

  @Test
  void writeThatCanNotBegin_isMadeUpForByTheNext() {
    AtomicBoolean fails = new AtomicBoolean(true);
    DeliveryLog failing =
        new DeliveryLog(
            fixture.punctual,
            fixture.timer(),
            work -> {
              if (fails.getAndSet(false)) {
                throw new OutOfMemoryError("injected");
              }
              work.run();
            });
    add(failing, 1);
    try {
      fixture.advance(Duration.ofMillis(200));
    } catch (OutOfMemoryError injected) {
      // A timer goes on after the error of a task.
    }
    add(failing, 2);
    fixture.advance(Duration.ofMillis(200));
    Fixture.patiently().until(() -> fixture.queue(QUEUE).counts().scheduled() == 2);
  }
}
