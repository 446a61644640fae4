package io.punctual.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import io.punctual.CancelOutcome;
import io.punctual.rabbitmq.Mailbox.Letter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Tests ids, duplicates and dead letters. */
final class RabbitIntakeIdsTest extends IntakeFixture {
  @Test
  void cancel_byMessageId_isNotDelivered() throws Exception {
    try (RabbitIntake intake = intake().start();
        Mailbox mail = mailbox("key")) {
      publish("key", delayed(600).messageId("order-1").build(), "cancelled");
      publish("key", delayed(700).messageId("order-2").build(), "kept");
      Awaitility.await().until(() -> queue.counts().scheduled() == 2);
      assertThat(queue.cancel("order-1")).isEqualTo(CancelOutcome.CANCELLED);
      assertThat(mail.await(1)).extracting(Letter::body).containsExactly("kept");
      assertThat(intake.stats().handled()).isEqualTo(1);
    }
  }

  @Test
  void publish_sameMessageAgain_isStoredOnce() throws Exception {
    try (RabbitIntake intake = intake().start();
        Mailbox mail = mailbox("key")) {
      for (int i = 0; i < 5; i++) {
        publish("key", delayed(500).messageId("again").build(), "x");
      }
      publish("key", delayed(700).messageId("last").build(), "y");
      assertThat(mail.await(2)).extracting(Letter::body).containsExactly("x", "y");
      assertThat(intake.stats().handled()).isEqualTo(2);
    }
  }

  @Test
  void publish_sameMessageAgainAfterItExpiredInTheIntakeQueue_isStoredOnce() throws Exception {
    intake().start().close();
    AMQP.BasicProperties again = delayed(700).expiration("10").messageId("again").build();
    publish("key", again, "x");
    Awaitility.await().until(() -> channel.messageCount(source + ".intake.expired") == 1);
    try (RabbitIntake intake = intake().start();
        Mailbox mail = mailbox("key")) {
      Awaitility.await().until(() -> queue.counts().scheduled() == 1);
      publish("key", again, "x");
      publish("key", delayed(800).messageId("last").build(), "y");
      assertThat(mail.await(2)).extracting(Letter::body).containsExactly("x", "y");
      assertThat(intake.stats().handled()).isEqualTo(2);
    }
  }

  @Test
  void publish_sameMessageIdForDifferentMessages_bothArrive() throws Exception {
    try (RabbitIntake intake = intake().start();
        Mailbox mail = mailbox("key")) {
      publish("key", delayed(500).messageId("same").build(), "one");
      publish("key", delayed(500).messageId("same").build(), "two");
      publish("key", delayed(600).messageId("same").build(), "two");
      publish("key", delayed(500).messageId("same").build(), "two");
      publish("key", delayed(900).messageId("last").build(), "end");
      List<Letter> letters = mail.await(4);
      assertThat(letters)
          .extracting(Letter::body)
          .containsExactlyInAnyOrder("one", "two", "two", "end");
      assertThat(letters.stream().limit(3))
          .allMatch(each -> each.properties().getMessageId().equals("same"));
      assertThat(intake.stats().handled()).isEqualTo(4);
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
      Awaitility.await().until(() -> queue.counts().dead() == 1);
      try (Mailbox mail = mailbox("key")) {
        publish("key", delayed(10).messageId("dead").build(), "second");
        assertThat(mail.await(1).get(0).body()).isEqualTo("second");
      }
      assertThat(new String(queue.find("dead").orElseThrow().payload(), StandardCharsets.UTF_8))
          .isEqualTo("first");
      // A second publication of the message replaces its dead letter, and is tried again.
      publish("nobody", delayed(10).messageId("dead").build(), "first");
      Awaitility.await().until(() -> intake.stats().buried() == 2);
    }
  }

  @Test
  void due_noQueueIsBoundToTarget_becomesDeadLetter_andCanBeRedriven() throws Exception {
    try (RabbitIntake intake = intake().start()) {
      publish("later", delayed(10).messageId("m").build(), "x");
      Awaitility.await().until(() -> queue.counts().dead() == 1);
      assertThat(queue.find("m").orElseThrow().reason().orElseThrow()).contains("NO_ROUTE");
      try (Mailbox mail = mailbox("later")) {
        queue.deadLetters().redrive("m");
        assertThat(mail.await(1).get(0).body()).isEqualTo("x");
      }
      assertThat(intake.stats().buried()).isEqualTo(1);
    }
  }
}
