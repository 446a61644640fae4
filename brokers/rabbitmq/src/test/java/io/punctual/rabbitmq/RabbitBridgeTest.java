package io.punctual.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.RetryPolicy;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.deadletter.DeadReason;
import io.punctual.kit.fault.FaultProxy;
import io.punctual.kit.rabbitmq.RabbitBroker;
import io.punctual.rabbitmq.Mailbox.Letter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

final class RabbitBridgeTest {
  private static final WorkerOptions QUICK_RETRIES =
      WorkerOptions.builder()
          .concurrency(256)
          .retryPolicy(RetryPolicy.fixed(Duration.ofMillis(50)).maxAttempts(2))
          .build();

  private final RabbitBroker broker = RabbitBroker.shared();
  private final Punctual punctual = Punctual.open("memory:");
  private final TimedQueue<byte[]> queue = punctual.queue("due", Codec.bytes());
  private String exchange;

  @BeforeEach
  void declareExchange(TestInfo test) throws Exception {
    exchange = "bridge-" + test.getTestMethod().orElseThrow().getName();
    declare(exchange);
  }

  private void declare(String name) throws Exception {
    try (Connection connection = broker.connections().newConnection();
        Channel channel = connection.createChannel()) {
      channel.exchangeDeclare(name, BuiltinExchangeType.DIRECT, true);
    }
  }

  @AfterEach
  void close() {
    punctual.close(Duration.ZERO);
  }

  private Mailbox mailbox(String name, String key) {
    return Mailbox.bound(broker.connections(), exchange + "-" + name, exchange, key);
  }

  private RabbitBridge.Builder bridge() {
    return RabbitBridge.builder(queue, broker.connections())
        .exchange(exchange)
        .workerOptions(QUICK_RETRIES);
  }

  private void schedule(String id, String payload, Map<String, String> headers) {
    queue.schedule(Message.of(payload.getBytes(StandardCharsets.UTF_8)).id(id).headers(headers));
  }

  private StoredMessage<byte[]> awaitDead(String id) {
    return Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () -> queue.find(id).filter(found -> found.state() == State.DEAD), Optional::isPresent)
        .orElseThrow();
  }

  @Test
  void publish_dueMessage_hasPayloadHeadersIdAndAttempt() {
    AMQP.BasicProperties properties =
        new AMQP.BasicProperties.Builder().contentType("text/plain").deliveryMode(2).build();
    try (Mailbox mail = mailbox("queue", "paid");
        RabbitBridge bridge = bridge().routingKeyHeader("route").properties(properties).start()) {
      schedule("order-1", "hello", Map.of("route", "paid", "tenant", "a"));
      Letter letter = mail.await(1).get(0);

      assertThat(letter.body()).isEqualTo("hello");
      assertThat(letter.exchange()).isEqualTo(exchange);
      assertThat(letter.routingKey()).isEqualTo("paid");
      assertThat(letter.properties().getMessageId()).isEqualTo("order-1");
      assertThat(letter.properties().getContentType()).isEqualTo("text/plain");
      assertThat(letter.properties().getDeliveryMode()).isEqualTo(2);
      assertThat(letter.header("tenant")).hasToString("a");
      assertThat(letter.header("route")).isNull();
      assertThat(letter.header(RabbitBridge.ID_HEADER)).hasToString("order-1");
      assertThat(letter.header(RabbitBridge.ATTEMPT_HEADER)).isEqualTo(1);
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> queue.find("order-1").isEmpty());
      assertThat(bridge.isAvailable()).isTrue();
    }
  }

  /** The consumer would otherwise continue the trace of a schedule of a month ago. */
  @Test
  void publish_messageWithTheTraceOfItsSchedule_consumerBeginsANewTrace() {
    Map<String, String> trace =
        Map.of(
            "traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "tracestate", "a=b",
            "Baggage", "user=1",
            "b3", "80f198ee56343ba864fe8b2a57d3eff7-e457b5a2e4d86bd1-1",
            "X-B3-TraceId", "80f198ee56343ba864fe8b2a57d3eff7",
            "x-b3-sampled", "1",
            "tenant", "a");
    try (Mailbox mail = mailbox("traced", "traced");
        RabbitBridge bridge = bridge().routingKey("traced").start()) {
      schedule("order-1", "hello", trace);
      Letter letter = mail.await(1).get(0);
      assertThat(letter.properties().getHeaders())
          .containsOnlyKeys("tenant", RabbitBridge.ID_HEADER, RabbitBridge.ATTEMPT_HEADER);
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> queue.find("order-1").isEmpty());
      assertThat(bridge.stats().failed()).isZero();
    }
  }

  @Test
  void publish_exchangeInHeader_goesToThatExchange() throws Exception {
    String other = exchange + "-other";
    declare(other);
    try (Mailbox mail = Mailbox.bound(broker.connections(), other + "-queue", other, "key");
        RabbitBridge bridge = bridge().routingKey("key").exchangeHeader("to").start()) {
      schedule("a", "x", Map.of("to", other));
      assertThat(mail.await(1).get(0).exchange()).isEqualTo(other);
      assertThat(bridge.stats().failed()).isZero();
    }
  }

  @Test
  void publish_noQueueIsBound_retriesThenBuriesWithReason() {
    try (RabbitBridge bridge = bridge().routingKey("nobody").start()) {
      schedule("lonely", "x", Map.of());
      StoredMessage<byte[]> dead = awaitDead("lonely");
      assertThat(dead.attempts()).isEqualTo(2);
      assertThat(dead.deadReason()).contains(DeadReason.FAILED);
      assertThat(dead.reason().orElseThrow())
          .contains("UnroutableException", "nobody", exchange, "NO_ROUTE");
      IntakeFixture.awaitCount(() -> bridge.stats().buried(), 1);
    }
  }

  @Test
  void publish_someAreUnroutable_othersArrive() {
    try (Mailbox mail = mailbox("queue", "known");
        RabbitBridge bridge = bridge().routingKey("known").routingKeyHeader("route").start()) {
      for (int i = 0; i < 200; i++) {
        schedule("m" + i, "x", i % 20 == 7 ? Map.of("route", "unknown") : Map.of());
      }
      mail.await(190);
      for (int i = 7; i < 200; i += 20) {
        awaitDead("m" + i);
      }
      IntakeFixture.awaitCount(() -> bridge.stats().buried(), 10);
      assertThat(mail.letters()).hasSize(190);
    }
  }

  @Test
  void publish_notMandatory_dropsUnroutableMessage() {
    try (RabbitBridge bridge = bridge().routingKey("nobody").mandatory(false).start()) {
      schedule("dropped", "x", Map.of());
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> queue.find("dropped").isEmpty());
      assertThat(bridge.stats().failed()).isZero();
    }
  }

  @Test
  void publish_exchangeOfOneMessageIsMissing_onlyThatMessageFails() {
    try (Mailbox mail = mailbox("queue", "key");
        RabbitBridge bridge = bridge().routingKey("key").exchangeHeader("to").start()) {
      for (int i = 0; i < 100; i++) {
        schedule("m" + i, "x", i == 50 ? Map.of("to", "missing") : Map.of());
      }
      assertThat(awaitDead("m50").reason().orElseThrow())
          .contains("RefusedException", "NOT_FOUND", "'missing'");
      mail.await(99);
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> queue.counts().pending() == 0);
      awaitIds(mail, 99);
      IntakeFixture.awaitCount(() -> bridge.stats().buried(), 1);
    }
  }

  @Test
  void publish_clientCanNotEncodeMessage_onlyThatMessageFails() {
    AMQP.BasicProperties properties =
        new AMQP.BasicProperties.Builder()
            .headers(Map.of("big", "x".repeat(130_000)))
            .deliveryMode(2)
            .build();
    try (Mailbox mail = mailbox("queue", "key");
        RabbitBridge bridge = bridge().routingKey("key").properties(properties).start()) {
      // Together with the header that all messages have, this header exceeds the size of a frame.
      schedule("fat", "x", Map.of("more", "y".repeat(8_000)));
      schedule("thin", "x", Map.of());
      assertThat(awaitDead("fat").reason().orElseThrow()).contains("RefusedException", "frame");
      assertThat(mail.await(1).get(0).properties().getMessageId()).isEqualTo("thin");
      IntakeFixture.awaitCount(() -> bridge.stats().buried(), 1);
    }
  }

  @Test
  void publish_queueIsFull_nackFailsAttempt() throws Exception {
    try (Connection connection = broker.connections().newConnection();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare(
          exchange + "-full",
          true,
          false,
          false,
          Map.of("x-max-length", 0, "x-overflow", "reject-publish"));
      channel.queueBind(exchange + "-full", exchange, "full");
    }
    try (RabbitBridge bridge = bridge().routingKey("full").start()) {
      schedule("refused", "x", Map.of());
      assertThat(awaitDead("refused").reason().orElseThrow())
          .contains("RefusedException", "basic.nack");
      IntakeFixture.awaitCount(() -> bridge.stats().failed(), 2);
    }
  }

  @Test
  void publish_idOfGreatestLength_isInHeader() {
    String id = "i".repeat(256);
    try (Mailbox mail = mailbox("queue", "key");
        RabbitBridge bridge = bridge().routingKey("key").start()) {
      schedule(id, "x", Map.of());
      Letter letter = mail.await(1).get(0);
      assertThat(letter.properties().getMessageId()).isNull();
      assertThat(letter.header(RabbitBridge.ID_HEADER)).hasToString(id);
      assertThat(bridge.stats().failed()).isZero();
    }
  }

  @Test
  void connectionCut_messagesInFlight_arriveAfterReconnect() {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", broker.port());
        Mailbox mail = mailbox("queue", "key");
        RabbitBridge bridge =
            RabbitBridge.builder(queue, RabbitBroker.connections(proxy.port()))
                .exchange(exchange)
                .routingKey("key")
                .workerOptions(QUICK_RETRIES)
                .start()) {
      for (int i = 0; i < 2_000; i++) {
        schedule("m" + i, "x", Map.of());
        if (i % 500 == 250) {
          proxy.cut();
          proxy.heal();
        }
      }
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> queue.counts().pending() == 0);
      awaitIds(mail, 2_000);
      // A publish that fails in an outage does not count as an attempt, so no message died.
      assertThat(bridge.stats().failed()).isZero();
    }
  }

  /**
   * Waits until this many different messages have arrived: RabbitMQ may confirm a message before
   * the mailbox receives it.
   */
  private static void awaitIds(Mailbox mail, int count) {
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () ->
                mail.letters().stream()
                        .map(each -> each.properties().getMessageId())
                        .distinct()
                        .count()
                    == count);
  }

  @Test
  void brokerIsSilent_confirmTimeout_messagesReturnAndConnectionIsReplaced() {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", broker.port());
        Mailbox mail = mailbox("queue", "key");
        RabbitBridge bridge =
            RabbitBridge.builder(queue, RabbitBroker.connections(proxy.port()))
                .exchange(exchange)
                .routingKey("key")
                .confirmTimeout(Duration.ofMillis(500))
                .workerOptions(QUICK_RETRIES)
                .start()) {
      schedule("first", "x", Map.of());
      mail.await(1);
      proxy.blackHole();
      for (int i = 0; i < 50; i++) {
        schedule("m" + i, "x".repeat(100_000), Map.of());
      }
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !bridge.isAvailable());
      proxy.heal();
      proxy.cut();
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> queue.counts().pending() == 0);
      awaitIds(mail, 51);
      assertThat(bridge.stats().failed()).isZero();
    }
  }

  @Test
  void start_brokerIsAway_messagesWaitForIt() {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", broker.port());
        Mailbox mail = mailbox("queue", "key")) {
      proxy.refuse();
      try (RabbitBridge bridge =
          RabbitBridge.builder(queue, RabbitBroker.connections(proxy.port()))
              .exchange(exchange)
              .routingKey("key")
              .start()) {
        schedule("early", "x", Map.of());
        assertThat(bridge.isAvailable()).isFalse();
        proxy.heal();
        mail.await(1);
        assertThat(bridge.stats().failed()).isZero();
      }
    }
  }

  @Test
  void memoryAlarm_messagesWait_andArriveAfterwards() {
    try (Mailbox mail = mailbox("queue", "key");
        RabbitBridge bridge =
            bridge().routingKey("key").confirmTimeout(Duration.ofSeconds(1)).start()) {
      schedule("before", "x", Map.of());
      mail.await(1);
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> queue.counts().pending() == 0);
      broker.raiseMemoryAlarm();
      try {
        for (int i = 0; i < 300; i++) {
          schedule("m" + i, "x", Map.of());
        }
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !bridge.isAvailable());
        // After the confirm time-out, all messages are in the queue again.
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> queue.counts().leased() == 0);
        assertThat(queue.counts().pending()).isEqualTo(300);
      } finally {
        broker.clearMemoryAlarm();
      }
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> queue.counts().pending() == 0);
      awaitIds(mail, 301);
      assertThat(bridge.stats().failed()).isZero();
    }
  }

  @Test
  void close_duringMemoryAlarm_endsInBoundedTime_andLosesNothing() {
    broker.raiseMemoryAlarm();
    try {
      // A close that waited for the confirmations would take an hour.
      RabbitBridge bridge = bridge().routingKey("key").confirmTimeout(Duration.ofHours(1)).start();
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(bridge::isAvailable);
      for (int i = 0; i < 100; i++) {
        schedule("m" + i, "x".repeat(100_000), Map.of());
      }
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !bridge.isAvailable());
      assertThat(CompletableFuture.runAsync(() -> bridge.close(Duration.ofMillis(100))))
          .succeedsWithin(Duration.ofMinutes(1));
      assertThat(queue.counts().pending()).isEqualTo(100);
    } finally {
      broker.clearMemoryAlarm();
    }
  }

  @Test
  void close_secondTime_andAfterPunctual_returns() throws Exception {
    RabbitBridge bridge = bridge().start();
    punctual.close();
    bridge.close();
    bridge.close(Duration.ZERO);
    bridge.await();
    assertThat(bridge.isAvailable()).isFalse();
  }

  @Test
  void start_withoutExchange_isRefused() {
    assertThatThrownBy(RabbitBridge.builder(queue, broker.connections())::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("exchange");
  }
}
