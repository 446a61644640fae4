package io.punctual.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Message;
import io.punctual.http.webhook.WebhookAttempt;
import io.punctual.http.webhook.WebhookKey;
import io.punctual.http.webhook.WebhookSpec;
import io.punctual.http.webhook.WebhookState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class DeliveryTest {
  private final Fixture fixture = Fixture.manual();

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void dueMessage_isPostedOnce_andAcked() {
    Receiver receiver = fixture.receiver(Receiver.answering(200));
    WebhookService service = fixture.start();
    fixture.put(service, Fixture.spec("crm", "orders", receiver.url()));
    fixture.schedule("orders", "order-1");
    Receiver.Request request = receiver.awaitRequests(1).requests().get(0);
    assertThat(request.line()).isEqualTo("POST /hook HTTP/1.1");
    assertThat(request.text()).isEqualTo("{\"id\":\"order-1\"}");
    assertThat(request.header("content-type")).isEqualTo("application/json");
    assertThat(request.header("webhook-id")).isEqualTo("order-1");
    assertThat(request.header("user-agent")).isEqualTo("Punctual-Webhooks");
    assertThat(request.headers()).doesNotContainKeys("accept-encoding", "cookie", "authorization");
    Fixture.patiently().until(() -> fixture.queue("orders").counts().leased() == 0);
    assertThat(fixture.queue("orders").counts().ready()).isZero();
    WebhookAttempt logged = Fixture.log(service, "crm").get(0);
    assertThat(logged.outcome()).isEqualTo(WebhookAttempt.Outcome.DELIVERED);
    assertThat(logged.status()).isEqualTo(200);
    assertThat(service.find("crm").orElseThrow().figures().delivered()).isOne();
  }

  @Test
  void failures_areRetriedByTheSchedule_thenDead_withStatusAndAnswer() {
    Receiver receiver =
        fixture.receiver((request, out, socket) -> Receiver.write(out, 500, "x".repeat(1000)));
    WebhookService service = fixture.start();
    WebhookSpec spec = Fixture.spec("crm", "orders", receiver.url());
    fixture.put(service, spec);
    fixture.schedule("orders", "order-1");
    receiver.awaitRequests(1);
    int made = 1;
    for (Duration retry : spec.retries()) {
      Fixture.patiently().until(() -> fixture.queue("orders").counts().scheduled() == 1);
      Instant due = fixture.queue("orders").find("order-1").orElseThrow().dueAt();
      Duration rest = Duration.between(fixture.clock.instant(), due);
      // While the circuit is open, the clock goes on in steps until a trial comes.
      boolean isOpen = made >= Target.MOST_FAILURES;
      assertThat(rest).isBetween(isOpen ? retry.minusSeconds(20) : retry, retry);
      fixture.advance(rest.minusMillis(1));
      assertThat(receiver.requests()).hasSize(made);
      fixture.advance(Duration.ofMillis(1));
      made++;
      int wanted = made;
      if (isOpen) {
        fixture.advanceUntil(Duration.ofSeconds(10), () -> receiver.requests().size() == wanted);
      } else {
        receiver.awaitRequests(wanted);
      }
    }
    Fixture.patiently().until(() -> fixture.dead("orders").size() == 1);
    String failure = fixture.dead("orders").get(0).failures().get(4).error();
    assertThat(failure).contains("HTTP 500").contains("x".repeat(250));
    assertThat(failure.length()).isLessThan(400);
    assertThat(receiver.requests()).hasSize(8);
    assertThat(receiver.requests().stream().map(r -> r.header("webhook-id")).distinct())
        .containsExactly("order-1");
    assertThat(Fixture.log(service, "crm").get(0).outcome()).isEqualTo(WebhookAttempt.Outcome.DEAD);
  }

  @Test
  void gone_disablesTheTarget_andTheMessageWaits() {
    Receiver receiver = fixture.receiver(Receiver.answering(410));
    WebhookService service = fixture.start();
    fixture.put(service, Fixture.spec("crm", "orders", receiver.url()));
    fixture.schedule("orders", "order-1");
    Fixture.patiently().until(() -> Fixture.state(service, "crm") == WebhookState.Kind.DISABLED);
    fixture.schedule("orders", "order-2");
    Fixture.patiently().until(() -> fixture.queue("orders").counts().ready() == 2);
    fixture.advance(Duration.ofMinutes(10));
    assertThat(receiver.requests()).hasSize(1);
    receiver.answer(Receiver.answering(204));
    Fixture.get(service.enable("crm"));
    receiver.awaitRequests(3);
    assertThat(service.find("crm").orElseThrow().state().kind()).isEqualTo(WebhookState.Kind.ON);
  }

  @Test
  void retryAfter_asSecondsAndAsDate_isHonoured() {
    Receiver receiver = fixture.receiver(Receiver.answering(429, "Retry-After", "7"));
    WebhookService service = fixture.start();
    fixture.put(service, Fixture.spec("crm", "orders", receiver.url()));
    fixture.schedule("orders", "order-1");
    receiver.awaitRequests(1);
    Fixture.patiently().until(() -> fixture.queue("orders").counts().scheduled() == 1);
    assertThat(fixture.queue("orders").find("order-1").orElseThrow().dueAt())
        .isEqualTo(fixture.clock.instant().plusSeconds(7));
    assertThat(Fixture.state(service, "crm")).isEqualTo(WebhookState.Kind.PAUSED);
    // Other messages wait too.
    fixture.schedule("orders", "order-2");
    fixture.advance(Duration.ofMillis(6_999));
    assertThat(receiver.requests()).hasSize(1);
    receiver.answer(
        Receiver.answering(
            503,
            "Retry-After",
            java.time.format.DateTimeFormatter.RFC_1123_DATE_TIME.format(
                fixture.clock.instant().plusSeconds(100).atZone(java.time.ZoneOffset.UTC))));
    fixture.advance(Duration.ofMillis(1));
    receiver.awaitRequests(2);
    receiver.answer(Receiver.answering(200));
    Fixture.patiently().until(() -> fixture.queue("orders").counts().leased() == 0);
    fixture.advance(Duration.ofSeconds(98));
    int before = receiver.requests().size();
    fixture.advance(Duration.ofSeconds(3));
    receiver.awaitRequests(before + 1);
    Fixture.patiently().until(() -> fixture.queue("orders").counts().scheduled() == 0);
  }

  @Test
  void openCircuit_pausesClaims_andTriesOneMessageEvery30Seconds() {
    Receiver receiver = fixture.receiver(Receiver.answering(500));
    WebhookService service = fixture.start();
    fixture.put(service, Fixture.spec("crm", "orders", receiver.url()));
    for (int i = 0; i < Target.MOST_FAILURES; i++) {
      fixture.schedule("orders", "first-" + i);
    }
    Fixture.patiently().until(() -> Fixture.state(service, "crm") == WebhookState.Kind.OPEN);
    for (int i = 0; i < 50; i++) {
      fixture.schedule("orders", "later-" + i);
    }
    int before = receiver.requests().size();
    assertThat(before).isEqualTo(Target.MOST_FAILURES);
    fixture.advance(Duration.ofSeconds(29));
    assertThat(receiver.requests()).hasSize(before);
    fixture.advance(Duration.ofSeconds(1));
    receiver.awaitRequests(before + 1);
    fixture.advance(Duration.ofSeconds(29));
    assertThat(receiver.requests()).hasSize(before + 1);
    receiver.answer(Receiver.answering(200));
    fixture.advanceUntil(Duration.ofSeconds(10), () -> receiver.requests().size() >= before + 2);
    Fixture.patiently().until(() -> Fixture.state(service, "crm") == WebhookState.Kind.ON);
    fixture.advance(Duration.ofSeconds(10));
    Fixture.patiently().until(() -> fixture.queue("orders").counts().ready() == 0);
  }

  @Test
  void onlyListedHeaders_withPlainValues_areSent() {
    Receiver receiver = fixture.receiver(Receiver.answering(200));
    WebhookService service = fixture.start();
    WebhookSpec usual = Fixture.spec("crm", "orders", receiver.url());
    fixture.put(
        service,
        new WebhookSpec(
            "crm",
            "orders",
            false,
            usual.url(),
            List.of("X-Tenant", "X-Bad"),
            1,
            0,
            usual.per(),
            usual.timeout(),
            usual.retries()));
    fixture
        .queue("orders")
        .schedule(
            Message.of("hello".getBytes(StandardCharsets.UTF_8))
                .headers(
                    Map.of(
                        "x-tenant", "acme", "X-Bad", "a\r\nEvil: 1", "X-Secret", "s", "Host", "h"))
                .dueIn(Duration.ZERO));
    Receiver.Request request = receiver.awaitRequests(1).requests().get(0);
    assertThat(request.headers())
        .containsEntry("x-tenant", "acme")
        .doesNotContainKeys("x-bad", "x-secret", "evil")
        .containsEntry("content-type", "application/octet-stream")
        .containsEntry("host", "127.0.0.1:" + receiver.port());
  }

  @Test
  void testCall_isSigned_andLogged() throws Exception {
    Receiver receiver = fixture.receiver(Receiver.answering(202));
    WebhookService service = fixture.start();
    fixture.put(service, Fixture.spec("crm", "orders", receiver.url()));
    WebhookAttempt attempt = Fixture.get(service.test("crm"));
    assertThat(attempt.status()).isEqualTo(202);
    assertThat(attempt.outcome()).isEqualTo(WebhookAttempt.Outcome.DELIVERED);
    assertThat(receiver.requests().get(0).text()).contains("punctual.test");
    assertThat(Fixture.log(service, "crm")).hasSize(1);
    receiver.answer(Receiver.answering(500));
    assertThat(Fixture.get(service.test("crm")).outcome()).isEqualTo(WebhookAttempt.Outcome.FAILED);
  }

  @Test
  void replay_schedulesWhatWasDeliveredSince() {
    Receiver receiver = fixture.receiver(Receiver.answering(200));
    WebhookService service = fixture.start();
    fixture.put(service, Fixture.spec("crm", "orders", receiver.url()));
    fixture.schedule("orders", "old");
    receiver.awaitRequests(1);
    Fixture.patiently().until(() -> Fixture.log(service, "crm").size() == 1);
    fixture.advance(Duration.ofHours(1));
    fixture.schedule("orders", "new");
    receiver.awaitRequests(2);
    Fixture.patiently().until(() -> Fixture.log(service, "crm").size() == 2);
    fixture
        .queue("orders")
        .schedule(
            Message.of(new byte[DeliveryLog.MOST_PAYLOAD + 1]).id("large").dueIn(Duration.ZERO));
    receiver.awaitRequests(3);
    Fixture.patiently().until(() -> Fixture.log(service, "crm").size() == 3);
    Fixture.patiently().until(() -> fixture.queue("orders").counts().leased() == 0);
    var replay =
        Fixture.get(service.replay("crm", fixture.clock.instant().minus(Duration.ofMinutes(30))));
    assertThat(replay.scheduled()).isEqualTo(1);
    assertThat(replay.skipped()).isEqualTo(1);
    receiver.awaitRequests(4);
    assertThat(receiver.requests().get(3).header("webhook-id")).isEqualTo("new");
    assertThat(receiver.requests().get(3).text()).isEqualTo("{\"id\":\"new\"}");
  }

  @Test
  void targetsAndStates_areSharedByProcesses() {
    Receiver receiver = fixture.receiver(Receiver.answering(410));
    WebhookService one = fixture.start();
    WebhookService other = fixture.start();
    fixture.put(one, Fixture.spec("crm", "orders", receiver.url()));
    fixture.advanceUntil(Duration.ofSeconds(1), () -> other.find("crm").isPresent());
    fixture.schedule("orders", "order-1");
    fixture.advanceUntil(
        Duration.ofSeconds(1),
        () ->
            Fixture.state(one, "crm") == WebhookState.Kind.DISABLED
                && Fixture.state(other, "crm") == WebhookState.Kind.DISABLED);
    Fixture.get(other.delete("crm"));
    fixture.advanceUntil(Duration.ofSeconds(1), () -> one.find("crm").isEmpty());
  }

  @Test
  void prefixTarget_takesAllQueuesOfThePrefix_withTheQueueInTheId() {
    Receiver receiver = fixture.receiver(Receiver.answering(200));
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
    fixture.schedule("orders.eu", "1.a");
    fixture.schedule("other", "2");
    fixture.advanceUntil(Duration.ofSeconds(5), () -> receiver.requests().size() == 1);
    assertThat(receiver.requests().get(0).header("webhook-id")).isEqualTo("orders%2Eeu:1%2Ea");
    assertThat(fixture.queue("other").counts().ready()).isEqualTo(1);
  }

  @Test
  void rotatedKey_signsBesideTheOld_untilTheOverlapEnds() throws Exception {
    Receiver receiver = fixture.receiver(Receiver.answering(200));
    WebhookService service = fixture.start();
    fixture.put(service, Fixture.spec("crm", "orders", receiver.url()));
    WebhookKey next = WebhookKey.generate(WebhookKey.Kind.ED25519, fixture.clock.instant());
    Fixture.get(service.rotate("crm", next, Duration.ofHours(1)));
    fixture.schedule("orders", "1");
    String both = receiver.awaitRequests(1).requests().get(0).header("webhook-signature");
    assertThat(both).matches("v1,\\S+ v1a,\\S+");
    fixture.advance(Duration.ofHours(1));
    fixture.schedule("orders", "2");
    String one = receiver.awaitRequests(2).requests().get(1).header("webhook-signature");
    assertThat(one).matches("v1a,\\S+");
    assertThat(service.find("crm").orElseThrow().keys()).hasSize(1);
  }

  @Test
  void configuredTarget_canNotBeChanged_andItsQueueIsTaken() {
    Receiver receiver = fixture.receiver(Receiver.answering(200));
    WebhookService service = fixture.start();
    WebhookSpec spec = Fixture.spec("crm", "orders", receiver.url());
    service.configure(
        List.of(new io.punctual.http.webhook.WebhookRecord(spec, List.of(fixture.key()))),
        fixture.rules());
    Fixture.patiently().until(() -> service.find("crm").isPresent());
    assertThat(service.find("crm").orElseThrow().isConfigured()).isTrue();
    org.assertj.core.api.Assertions.assertThatThrownBy(() -> service.put(spec, Optional.empty()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("configuration");
    org.assertj.core.api.Assertions.assertThatThrownBy(
            () ->
                service.put(
                    Fixture.spec("other", "orders", receiver.url()), Optional.of(fixture.key())))
        .hasMessageContaining("same queue");
    fixture.schedule("orders", "1");
    receiver.awaitRequests(1);
    service.configure(List.of(), fixture.rules());
    assertThat(service.find("crm")).isEmpty();
  }

  @Test
  void rate_spacesTheCalls() {
    Receiver receiver = fixture.receiver(Receiver.answering(200));
    WebhookService service = fixture.start();
    WebhookSpec usual = Fixture.spec("crm", "orders", receiver.url());
    fixture.put(
        service,
        new WebhookSpec(
            "crm",
            "orders",
            false,
            usual.url(),
            List.of(),
            10,
            2,
            Duration.ofSeconds(1),
            usual.timeout(),
            usual.retries()));
    for (int i = 0; i < 5; i++) {
      fixture.schedule("orders", "order-" + i);
    }
    Fixture.patiently().until(() -> fixture.queue("orders").counts().leased() >= 4);
    for (int made = 1; made <= 5; made++) {
      receiver.awaitRequests(made);
      fixture.advance(Duration.ofMillis(499));
      assertThat(receiver.requests()).hasSize(made);
      fixture.advance(Duration.ofMillis(1));
    }
  }

  @Test
  void readOnlyProcess_takesNoMessages() {
    Receiver receiver = fixture.receiver(Receiver.answering(200));
    WebhookService service = fixture.start();
    fixture.put(service, Fixture.spec("crm", "orders", receiver.url()));
    service.setReadOnly(true);
    fixture.schedule("orders", "order-1");
    fixture.advance(Duration.ofMinutes(1));
    assertThat(receiver.requests()).isEmpty();
    service.setReadOnly(false);
    receiver.awaitRequests(1);
  }

  @Test
  void failedTrial_countsAsAnAttempt_soThatADeadTargetKeepsNothingForEver() {
    Receiver receiver = fixture.receiver(Receiver.answering(500));
    WebhookService service = fixture.start();
    WebhookSpec usual = Fixture.spec("crm", "orders", receiver.url());
    fixture.put(
        service,
        new WebhookSpec(
            "crm",
            "orders",
            false,
            usual.url(),
            List.of(),
            1,
            0,
            usual.per(),
            usual.timeout(),
            java.util.Collections.nCopies(6, Duration.ofSeconds(1))));
    fixture.schedule("orders", "order-1");
    fixture.advanceUntil(Duration.ofSeconds(10), () -> fixture.dead("orders").size() == 1);
    assertThat(receiver.requests()).hasSize(7);
  }
}
