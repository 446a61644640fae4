package io.punctual.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import io.punctual.CancelOutcome;
import io.punctual.Due;
import io.punctual.RescheduleOutcome;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.rabbitmq.Mailbox.Letter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Tests ids, duplicates and dead letters. */
final class RabbitIntakeIdsTest extends IntakeFixture {
  /** A delay that does not pass while a test publishes, in milliseconds. */
  private static final int HOUR = 3_600_000;

  /** Waits until the intake has stored this message, and with it all earlier messages. */
  private void awaitScheduled(String id) {
    Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> queue.find(id).isPresent());
  }

  private void makeDue(String id) {
    assertThat(queue.reschedule(id, Due.now())).isEqualTo(RescheduleOutcome.RESCHEDULED);
  }

  /** Makes the message 'again' due, and after its arrival the message 'last'. */
  private void assertXThenY(Mailbox mail) {
    assertThat(queue.counts().scheduled()).isEqualTo(2);
    makeDue("again");
    mail.await(1);
    makeDue("last");
    assertThat(mail.await(2)).extracting(Letter::body).containsExactly("x", "y");
  }

  @Test
  void cancel_byMessageId_isNotDelivered() throws Exception {
    try (RabbitIntake intake = intake().start();
        Mailbox mail = mailbox("key")) {
      publish("key", delayed(HOUR).messageId("order-1").build(), "cancelled");
      publish("key", delayed(HOUR).messageId("order-2").build(), "kept");
      awaitCount(() -> queue.counts().scheduled(), 2);
      assertThat(queue.cancel("order-1")).isEqualTo(CancelOutcome.CANCELLED);
      makeDue("order-2");
      assertThat(mail.await(1)).extracting(Letter::body).containsExactly("kept");
      awaitCount(() -> intake.stats().handled(), 1);
    }
  }

  @Test
  void publish_sameMessageAgain_isStoredOnce() throws Exception {
    try (RabbitIntake intake = intake().start();
        Mailbox mail = mailbox("key")) {
      for (int i = 0; i < 5; i++) {
        publish("key", delayed(HOUR).messageId("again").build(), "x");
      }
      publish("key", delayed(HOUR).messageId("last").build(), "y");
      awaitScheduled("last");
      assertXThenY(mail);
      awaitCount(() -> intake.stats().handled(), 2);
    }
  }

  /** Publishers with tracing or correlated confirms send the same message with other headers. */
  @Test
  void publish_sameMessageAgainWithOtherHeadersOfThePublisher_isStoredOnce() throws Exception {
    List<Map<String, Object>> headers =
        List.of(
            Map.of("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
            Map.of("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-aaaaaaaaaaaaaaaa-01"),
            Map.of("b3", "80f198ee56343ba864fe8b2a57d3eff7-e457b5a2e4d86bd1-1"),
            Map.of("X-B3-TraceId", "80f198ee56343ba864fe8b2a57d3eff7", "tracestate", "a=b"),
            Map.of("baggage", "user=1"),
            Map.of("spring_returned_message_correlation", "2b2b6f3e"),
            Map.of("large", "x".repeat(20_000)));
    try (RabbitIntake intake = intake().start();
        Mailbox mail = mailbox("key")) {
      for (Map<String, Object> each : headers) {
        Map<String, Object> all = new HashMap<>(each);
        all.put(XDelay.HEADER, HOUR);
        AMQP.BasicProperties properties =
            delayed(HOUR)
                .headers(all)
                .messageId("again")
                .correlationId(each.toString().substring(0, 10))
                .timestamp(Date.from(Instant.ofEpochSecond(each.hashCode() & 0xffff)))
                .build();
        publish("key", properties, "x");
      }
      publish("key", delayed(HOUR).messageId("last").build(), "y");
      awaitScheduled("last");
      assertXThenY(mail);
      assertThat(intake.intakeStats().duplicates()).isEqualTo(headers.size() - 1);
      assertThat(intake.intakeStats().renamed()).isZero();
      assertThat(intake.intakeStats().stored()).isEqualTo(2);
    }
  }

  @Test
  void publish_sameMessageIdWithOtherKey_bothArrive() throws Exception {
    try (RabbitIntake intake = intake().start();
        Mailbox mail = mailbox("key");
        Mailbox other = mailbox("other")) {
      publish("key", delayed(HOUR).messageId("same").build(), "x");
      publish("other", delayed(HOUR).messageId("same").build(), "x");
      publish("key", delayed(HOUR).messageId("last").build(), "y");
      awaitScheduled("last");
      queue.browse(State.SCHEDULED, 10).items().forEach(each -> makeDue(each.id()));
      assertThat(mail.await(2)).hasSize(2);
      assertThat(other.await(1)).hasSize(1);
      assertThat(intake.intakeStats().renamed()).isEqualTo(1);
    }
  }

  @Test
  void publish_sameMessageAgainAfterItExpiredInTheIntakeQueue_isStoredOnce() throws Exception {
    intake().start().close();
    AMQP.BasicProperties again = delayed(HOUR).expiration("10").messageId("again").build();
    publish("key", again, "x");
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> channel.messageCount(source + ".intake.expired") == 1);
    try (RabbitIntake intake = intake().start();
        Mailbox mail = mailbox("key")) {
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> queue.counts().scheduled() == 1);
      publish("key", again, "x");
      publish("key", delayed(HOUR).messageId("last").build(), "y");
      awaitScheduled("last");
      assertXThenY(mail);
      awaitCount(() -> intake.stats().handled(), 2);
    }
  }

  @Test
  void publish_sameMessageIdForDifferentMessages_bothArrive() throws Exception {
    try (RabbitIntake intake = intake().start();
        Mailbox mail = mailbox("key")) {
      publish("key", delayed(HOUR).messageId("same").build(), "one");
      publish("key", delayed(HOUR).messageId("same").build(), "two");
      publish("key", delayed(2 * HOUR).messageId("same").build(), "two");
      publish("key", delayed(HOUR).messageId("same").build(), "two");
      publish("key", delayed(3 * HOUR).messageId("last").build(), "end");
      awaitScheduled("last");
      List<String> same =
          queue.browse(State.SCHEDULED, 10).items().stream()
              .map(StoredMessage::id)
              .filter(id -> !id.equals("last"))
              .toList();
      assertThat(same).hasSize(3);
      same.forEach(this::makeDue);
      mail.await(3);
      makeDue("last");
      List<Letter> letters = mail.await(4);
      assertThat(letters)
          .extracting(Letter::body)
          .containsExactlyInAnyOrder("one", "two", "two", "end");
      assertThat(letters.stream().limit(3))
          .allMatch(each -> each.properties().getMessageId().equals("same"));
      awaitCount(() -> intake.stats().handled(), 4);
    }
  }

  @Test
  void publish_messageIdsTurnedOff_equalMessagesBothArrive() throws Exception {
    try (RabbitIntake intake = intake().messageIds(false).start();
        Mailbox mail = mailbox("key")) {
      publish("key", delayed(100).messageId("same").build(), "x");
      publish("key", delayed(100).messageId("same").build(), "x");
      assertThat(mail.await(2)).hasSize(2);
      assertThat(queue.find("same")).isEmpty();
      assertThat(intake.stats().failed()).isZero();
    }
  }

  @Test
  void publish_sameIdAsDeadLetter_differentContent_keepsDeadLetter() throws Exception {
    try (RabbitIntake intake = intake().start()) {
      publish("nobody", delayed(10).messageId("dead").build(), "first");
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> queue.counts().dead() == 1);
      try (Mailbox mail = mailbox("key")) {
        publish("key", delayed(10).messageId("dead").build(), "second");
        assertThat(mail.await(1).get(0).body()).isEqualTo("second");
      }
      assertThat(new String(queue.find("dead").orElseThrow().payload(), StandardCharsets.UTF_8))
          .isEqualTo("first");
      // A second publication of the message replaces its dead letter, and is tried again.
      publish("nobody", delayed(10).messageId("dead").build(), "first");
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> intake.stats().buried() == 2);
    }
  }

  @Test
  void due_noQueueIsBoundToTarget_becomesDeadLetter_andCanBeRedriven() throws Exception {
    try (RabbitIntake intake = intake().start()) {
      publish("later", delayed(10).messageId("m").build(), "x");
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> queue.counts().dead() == 1);
      assertThat(queue.find("m").orElseThrow().reason().orElseThrow()).contains("NO_ROUTE");
      try (Mailbox mail = mailbox("later")) {
        queue.deadLetters().redrive("m");
        assertThat(mail.await(1).get(0).body()).isEqualTo("x");
      }
      awaitCount(() -> intake.stats().buried(), 1);
    }
  }
}
