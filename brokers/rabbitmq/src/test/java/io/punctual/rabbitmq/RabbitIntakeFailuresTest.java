package io.punctual.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.GetResponse;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.kit.fault.FaultProxy;
import io.punctual.kit.rabbitmq.RabbitBroker;
import io.punctual.rabbitmq.Mailbox.Letter;
import io.punctual.rabbitmq.internal.Outgoing;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests failures of the store and of RabbitMQ, wrong settings, and closes. */
final class RabbitIntakeFailuresTest extends IntakeFixture {
  @Test
  void publish_payloadAboveLimitOfStore_isInQueueForRefusedMessages() throws Exception {
    try (RabbitIntake intake = intake().start();
        Mailbox mail = mailbox("key")) {
      publish("key", delayed(10).build(), "x".repeat(2 << 20));
      publish("key", delayed(10).build(), "small");
      assertThat(mail.await(1).get(0).body()).isEqualTo("small");
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> channel.messageCount(source + ".intake.refused") == 1);
      GetResponse refused = channel.basicGet(source + ".intake.refused", true);
      assertThat(refused.getBody()).hasSize(2 << 20);
      assertThat(refused.getProps().getHeaders().get("x-punctual-reason"))
          .asString()
          .contains("payload");
      awaitCount(() -> intake.stats().handled(), 1);
    }
    awaitIntake(0);
  }

  /** Waits until the intake queue has this many messages that the intake has not received. */
  private void awaitIntake(int messages) {
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> channel.messageCount(source + ".intake") == messages);
  }

  @Test
  void publish_refusedMessageWithCopies_isInNoOtherQueue() throws Exception {
    String other = source + ".other";
    channel.queueDeclare(other, true, false, false, null);
    try (RabbitIntake intake = intake().start()) {
      AMQP.BasicProperties properties =
          new AMQP.BasicProperties.Builder().headers(Map.of("CC", List.of(other))).build();
      publish("key", properties, "x".repeat(2 << 20));
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> channel.messageCount(source + ".intake.refused") == 1);
      GetResponse refused = channel.basicGet(source + ".intake.refused", true);
      assertThat(refused.getProps().getHeaders().get("x-punctual-cc"))
          .hasToString("[" + other + "]");
      assertThat(channel.messageCount(other)).isZero();
      assertThat(intake.stats().handled()).isZero();
    }
  }

  /** An application that declares the queues itself may not know of this queue. */
  @Test
  void queueForRefusedMessagesIsMissing_isDeclared() throws Exception {
    intake().start().close();
    channel.queueDelete(source + ".intake.refused");
    try (RabbitIntake intake = intake().declare(false).start();
        Mailbox mail = mailbox("key")) {
      publish("key", delayed(10).build(), "x".repeat(2 << 20));
      publish("key", delayed(10).build(), "small");
      assertThat(mail.await(1).get(0).body()).isEqualTo("small");
      awaitCount(() -> intake.intakeStats().refused(), 1);
      assertThat(channel.messageCount(source + ".intake.refused")).isEqualTo(1);
    }
  }

  /** RabbitMQ refuses the messages, because the queue for refused messages has no room. */
  @Test
  void tenMessagesCanNeitherBeStoredNorMoved_othersArrive() throws Exception {
    channel.queueDeclare(
        source + ".intake.refused",
        true,
        false,
        false,
        Map.of("x-max-length", 0, "x-overflow", "reject-publish"));
    channel.queueDeclare(source + ".intake", true, false, false, null);
    channel.exchangeDeclare(source, BuiltinExchangeType.FANOUT, true);
    channel.exchangeDeclare(target, BuiltinExchangeType.DIRECT, true);
    channel.queueBind(source + ".intake", source, "");
    try (RabbitIntake intake = intake().declare(false).start();
        Mailbox mail = mailbox("key")) {
      for (int i = 0; i < 10; i++) {
        publish("key", delayed(10).build(), "x".repeat(2 << 20));
      }
      awaitCount(() -> intake.intakeStats().failed(), 10);
      for (int i = 0; i < 20; i++) {
        publish("key", delayed(10).build(), "good" + i);
      }
      mail.await(20);
      assertThat(intake.intakeStats().unacked()).isEqualTo(10);
      assertThat(intake.intakeStats().refused()).isZero();
      assertThat(intake.isAvailable()).isTrue();
      intake.close(Duration.ZERO);
    }
    awaitIntake(10);
  }

  /** The id grows when text that is not UTF-8 is read, and then no longer fits. */
  @Test
  void messageWhosePropertiesAreNotReadable_isInQueueForRefusedMessages() throws Exception {
    IntakeTopology topology =
        new IntakeTopology(source, "fanout", target, "direct", source + ".intake", "classic");
    try (RabbitIntake intake = intake().queueType("classic").start()) {
      Delivery delivery =
          new Delivery(
              new Envelope(1, false, source, "key"),
              new AMQP.BasicProperties.Builder().messageId("\ufffd".repeat(200)).build(),
              new byte[] {'x'});
      Arrival arrival = new Arrival(channel, delivery, OriginalMessage.of(delivery, source), false);
      assertThatThrownBy(arrival::message).isInstanceOf(IllegalArgumentException.class);
      for (Arrival each : List.of(arrival, Arrival.unreadable(channel, delivery))) {
        Outgoing refused =
            RefusedMessage.of(
                each, topology.refusedQueue(), new IllegalArgumentException("not readable"));
        Outgoing.Content content = refused.content();
        channel.basicPublish(
            "", refused.route().routingKey(), content.properties(), content.body());
        channel.waitForConfirmsOrDie(60_000);
        GetResponse moved = channel.basicGet(topology.refusedQueue(), true);
        assertThat(moved.getBody()).containsExactly('x');
        assertThat(moved.getProps().getHeaders().get("x-punctual-reason"))
            .hasToString("not readable");
      }
      assertThat(intake.intakeStats().unacked()).isZero();
    }
  }

  /** RabbitMQ does not answer the close, as if its host were gone. */
  @Test
  @Tag("extended")
  void close_brokerIsSilent_endsWithinFiveSecondsAfterTheGracePeriod() {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", broker.port())) {
      RabbitIntake intake =
          RabbitIntake.builder(queue, RabbitBroker.connections(proxy.port()))
              .source(source)
              .target(target, "direct")
              .start();
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(intake::isAvailable);
      proxy.blackHole();
      long begin = System.nanoTime();
      intake.close(Duration.ofSeconds(2));
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(17));
    }
  }

  @Test
  void close_messagesInIntakeQueue_stayThere() throws Exception {
    RabbitIntake intake = intake().start();
    intake.close();
    intake.close();
    publish("key", delayed(10).build(), "x");
    awaitIntake(1);
  }

  @Test
  void close_storeIsClosedFirst_unackedMessagesStay() throws Exception {
    RabbitIntake intake = intake().start();
    punctual.close();
    publish("key", delayed(10).build(), "x");
    intake.await();
    intake.close();
    awaitIntake(1);
  }

  @Test
  void start_exchangeOfOtherTypeExists_isRefusedWithReason() throws Exception {
    channel.exchangeDeclare(source, BuiltinExchangeType.DIRECT, true);
    assertThatThrownBy(intake()::start)
        .isInstanceOf(PunctualException.class)
        .hasMessageContaining("inequivalent arg 'type' for exchange '" + source + "'")
        .hasMessageContaining("declare=false");
  }

  @Test
  void start_typeOfExchangeIsUnknown_isRefusedWithReason() {
    assertThatThrownBy(() -> intake().target(target, "topci").start())
        .isInstanceOf(PunctualException.class)
        .hasMessageContaining("topci");
  }

  @Test
  void start_wrongPassword_isRefused() {
    var factory = broker.connections();
    factory.setPassword("wrong");
    assertThatThrownBy(
            RabbitIntake.builder(queue, factory).source(source).target(target, "direct")::start)
        .isInstanceOf(PunctualException.class)
        .hasMessageContaining("password");
  }

  @Test
  void start_optionsOfTheWorkerAreRefused_leavesNoConnection() {
    List<Socket> sockets = new CopyOnWriteArrayList<>();
    ConnectionFactory factory = broker.connections();
    factory.setSocketConfigurator(sockets::add);
    RabbitIntake.Builder builder =
        RabbitIntake.builder(queue, factory)
            .source(source)
            .target(target, "direct")
            .workerOptions(WorkerOptions.builder().batchSize(2).build());
    assertThatThrownBy(builder::start).isInstanceOf(IllegalArgumentException.class);
    assertThat(sockets).isNotEmpty().allMatch(Socket::isClosed);
  }

  @Test
  void builder_wrongSettings_areRefused() {
    assertThatThrownBy(() -> intake().source("a", "direct")).hasMessageContaining("alternate");
    assertThatThrownBy(() -> intake().queueType("stream")).hasMessageContaining("quorum");
    assertThatThrownBy(() -> intake().prefetch(0)).hasMessageContaining("prefetch");
    assertThatThrownBy(() -> intake().source(target).start()).hasMessageContaining("different");
    assertThatThrownBy(RabbitIntake.builder(queue, broker.connections())::start)
        .hasMessageContaining("source");
  }

  @Test
  void storeIsAway_messagesStayUnacked_upToThePrefetch_andAreStoredLater() throws Exception {
    SwitchedStore switched = new SwitchedStore();
    try (Punctual flaky =
        Punctual.builder()
            .store(switched.store())
            .operationTimeout(Duration.ofMillis(300))
            .build()) {
      TimedQueue<byte[]> delayed = flaky.queue("away", Codec.bytes());
      try (RabbitIntake intake =
              RabbitIntake.builder(delayed, broker.connections())
                  .source(source)
                  .target(target, "direct")
                  .prefetch(10)
                  .start();
          Mailbox mail = mailbox("key")) {
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(intake::isAvailable);
        switched.away(true);
        for (int i = 0; i < 30; i++) {
          publish("key", delayed(100).messageId("m" + i).build(), "m" + i);
        }
        awaitIntake(20);
        // The intake tries to store the messages several times in this second, and fails. No
        // message is lost, and the intake receives no further messages.
        Awaitility.await()
            .atMost(Duration.ofMinutes(1))
            .during(Duration.ofSeconds(1))
            .until(
                () -> channel.messageCount(source + ".intake") == 20 && mail.letters().isEmpty());
        assertThat(intake.isAvailable()).isFalse();
        assertThat(intake.intakeStats().unacked()).isEqualTo(10);
        switched.away(false);
        assertThat(mail.await(30)).extracting(Letter::body).doesNotHaveDuplicates();
        Awaitility.await()
            .atMost(Duration.ofMinutes(1))
            .until(() -> delayed.counts().pending() == 0);
        assertThat(intake.stats().failed()).isZero();
        assertThat(intake.isAvailable()).isTrue();
      }
    }
  }

  @Test
  void clientIsBusy_messagesAreScheduledAgain() throws Exception {
    try (Punctual small = Punctual.builder().url("memory:").operationLimit(4).build()) {
      TimedQueue<byte[]> delayed = small.queue("small", Codec.bytes());
      RabbitIntake.Builder builder =
          RabbitIntake.builder(delayed, broker.connections())
              .source(source)
              .target(target, "direct");
      builder.start().close();
      for (int i = 0; i < 500; i++) {
        channel.basicPublish(
            source, "key", delayed(3_600_000).messageId("m" + i).build(), new byte[0]);
      }
      channel.waitForConfirmsOrDie(60_000);
      try (RabbitIntake intake = builder.start()) {
        Awaitility.await()
            .atMost(Duration.ofMinutes(1))
            .until(() -> delayed.counts().scheduled() == 500);
        assertThat(intake.stats().failed()).isZero();
      }
      awaitIntake(0);
    }
  }

  @Test
  void intakeQueueDeleted_isDeclaredAgain() throws Exception {
    try (RabbitIntake intake = intake().start();
        Mailbox mail = mailbox("key")) {
      channel.queueDelete(source + ".intake");
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .ignoreException(IOException.class)
          .until(
              () -> {
                try (Channel probe = connection.createChannel()) {
                  return probe.queueDeclarePassive(source + ".intake").getConsumerCount() == 1;
                }
              });
      publish("key", delayed(10).build(), "x");
      mail.await(1);
      assertThat(intake.stats().failed()).isZero();
    }
  }
}
