package io.punctual.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.punctual.CancelOutcome;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.RetryPolicy;
import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.rabbitmq.Mailbox.Letter;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

final class RabbitIntakeTest {
  private static final WorkerOptions QUICK_RETRIES =
      WorkerOptions.builder()
          .concurrency(64)
          .retryPolicy(RetryPolicy.fixed(Duration.ofMillis(50)).maxAttempts(2))
          .build();

  private final RabbitBroker broker = RabbitBroker.shared();
  private final Punctual punctual = Punctual.open("memory:");
  private final TimedQueue<byte[]> queue = punctual.queue("delayed", Codec.bytes());
  private String source;
  private String target;
  private Connection connection;
  private Channel channel;

  @BeforeEach
  void open(TestInfo test) throws Exception {
    source = test.getTestMethod().orElseThrow().getName();
    target = source + ".due";
    connection = broker.connections().newConnection();
    channel = connection.createChannel();
    channel.confirmSelect();
  }

  @AfterEach
  void close() throws Exception {
    connection.close();
    punctual.close(Duration.ZERO);
  }

  private RabbitIntake.Builder intake() {
    return RabbitIntake.builder(queue, broker.connections())
        .source(source)
        .target(target, "direct")
        .workerOptions(QUICK_RETRIES);
  }

  private Mailbox mailbox(String key) {
    return Mailbox.bound(broker.connections(), source + "-" + key, target, key);
  }

  private static AMQP.BasicProperties.Builder delayed(Object delay) {
    return new AMQP.BasicProperties.Builder().deliveryMode(2).headers(Map.of(XDelay.HEADER, delay));
  }

  private void publish(String key, AMQP.BasicProperties properties, String body) throws Exception {
    channel.basicPublish(source, key, true, properties, body.getBytes(StandardCharsets.UTF_8));
    channel.waitForConfirmsOrDie(10_000);
  }

  @Test
  void publish_severalDelays_arriveInOrderOfDueTime_neverEarly() throws Exception {
    // The delays of the plugin's own test.
    int[] delays = {500, 100, 300, 200, 100, 400};
    try (RabbitIntake intake = intake().start();
        Mailbox mail = mailbox("key")) {
      long[] sent = new long[delays.length];
      for (int i = 0; i < delays.length; i++) {
        sent[i] = System.currentTimeMillis();
        publish("key", delayed(delays[i]).build(), i + "");
      }
      List<Letter> letters = mail.await(delays.length);
      for (Letter letter : letters) {
        int number = Integer.parseInt(letter.body());
        assertThat(letter.receivedAtMillis() - sent[number]).isGreaterThanOrEqualTo(delays[number]);
        assertThat(letter.header(XDelay.HEADER)).isEqualTo(-delays[number]);
      }
      assertThat(letters.get(letters.size() - 1).body()).isIn("0", "5");
      assertThat(intake.stats().failed()).isZero();
    }
  }

  @Test
  void publish_shortDelayBehindLongDelay_doesNotWait() throws Exception {
    try (RabbitIntake intake = intake().start();
        Mailbox mail = mailbox("key")) {
      publish("key", delayed(3_600_000).messageId("long").build(), "long");
      publish("key", delayed(200).messageId("short").build(), "short");
      assertThat(mail.await(1).get(0).body()).isEqualTo("short");
      assertThat(queue.find("long").orElseThrow().state()).isEqualTo(State.SCHEDULED);
      assertThat(intake.stats().handled()).isEqualTo(1);
    }
  }

  @Test
  @SuppressWarnings("JavaUtilDate") // The type of the client library.
  void publish_allPropertiesAndHeaderTypes_arriveUnchanged() throws Exception {
    Map<String, Object> headers =
        Map.ofEntries(
            Map.entry(XDelay.HEADER, "50"),
            Map.entry("int", 1),
            Map.entry("long", 1L << 40),
            Map.entry("short", (short) 3),
            Map.entry("byte", (byte) 4),
            Map.entry("double", 2.5),
            Map.entry("float", 1.5f),
            Map.entry("decimal", new BigDecimal("12.34")),
            Map.entry("boolean", true),
            Map.entry("date", new Date(1_000_000_000_000L)),
            Map.entry("bytes", new byte[] {1, 2, 3}),
            Map.entry("list", List.of(1, "two")),
            Map.entry("table", Map.of("inner", "value")));
    AMQP.BasicProperties properties =
        new AMQP.BasicProperties.Builder()
            .contentType("application/json")
            .contentEncoding("gzip")
            .headers(headers)
            .deliveryMode(2)
            .priority(3)
            .correlationId("correlation")
            .replyTo("reply")
            .expiration("60000")
            .messageId("id")
            .timestamp(new Date(1_000_000_000_000L))
            .type("type")
            .userId("guest")
            .appId("app")
            .build();
    try (RabbitIntake intake = intake().start();
        Mailbox mail = mailbox("routing.key")) {
      publish("routing.key", properties, "{}");
      Letter letter = mail.await(1).get(0);
      assertThat(letter.exchange()).isEqualTo(target);
      assertThat(letter.routingKey()).isEqualTo("routing.key");
      assertThat(letter.body()).isEqualTo("{}");
      AMQP.BasicProperties got = letter.properties();
      assertThat(got.builder().headers(null).build())
          .isEqualTo(properties.builder().headers(null).userId(null).build());
      for (String name :
          List.of(
              "int", "long", "short", "byte", "double", "float", "decimal", "boolean", "date",
              "bytes")) {
        assertThat(letter.header(name)).as(name).isEqualTo(headers.get(name));
      }
      assertThat(letter.header("list")).hasToString("[1, two]");
      assertThat(letter.header("table")).hasToString("{inner=value}");
      assertThat(letter.header(XDelay.HEADER)).isEqualTo(-50);
      assertThat(letter.header(RabbitBridge.ID_HEADER)).hasToString("id");
      assertThat(intake.stats().failed()).isZero();
    }
  }

  @Test
  void publish_propertiesLargerThanHeadersOfPunctual_arriveUnchanged() throws Exception {
    String large = "x".repeat(100_000);
    try (RabbitIntake intake = intake().start();
        Mailbox mail = mailbox("key")) {
      publish(
          "key", delayed(10).headers(Map.of("large", large, XDelay.HEADER, 10)).build(), "body");
      Letter letter = mail.await(1).get(0);
      assertThat(letter.header("large")).hasToString(large);
      assertThat(letter.body()).isEqualTo("body");
      assertThat(intake.stats().failed()).isZero();
    }
  }

  @Test
  void publish_noZeroNegativeOrOddDelay_arrivesAtOnce_withItsHeaderUnchanged() throws Exception {
    try (RabbitIntake intake = intake().start();
        Mailbox mail = mailbox("key")) {
      publish("key", new AMQP.BasicProperties.Builder().build(), "none");
      publish("key", delayed(0).build(), "zero");
      publish("key", delayed(-5_000_000).build(), "negative");
      publish("key", delayed("soon").build(), "odd");
      List<Letter> letters = mail.await(4);
      assertThat(letters)
          .extracting(Letter::body)
          .containsExactlyInAnyOrder("none", "zero", "negative", "odd");
      assertThat(
              letters.stream()
                  .filter(each -> each.body().equals("negative"))
                  .findAny()
                  .orElseThrow()
                  .header(XDelay.HEADER))
          .isEqualTo(-5_000_000);
      assertThat(
              letters.stream()
                  .filter(each -> each.body().equals("odd"))
                  .findAny()
                  .orElseThrow()
                  .header(XDelay.HEADER))
          .hasToString("soon");
      assertThat(intake.stats().failed()).isZero();
    }
  }

  @Test
  void publish_delayLongerThanThePluginKnows_isNotDeliveredAtOnce() throws Exception {
    try (RabbitIntake intake = intake().start()) {
      publish("key", delayed(1L << 33).messageId("later").build(), "x");
      publish("key", delayed(Long.MAX_VALUE).messageId("never").build(), "x");
      Awaitility.await().until(() -> queue.counts().scheduled() == 2);
      assertThat(queue.find("later").orElseThrow().dueAt())
          .isAfter(Instant.now().plusMillis((1L << 33) - 60_000));
      assertThat(queue.find("never").orElseThrow().dueAt())
          .isAfter(Instant.now().plus(Duration.ofDays(299_000)));
      assertThat(intake.stats().handled()).isZero();
    }
  }

  @Test
  void publish_sourceOfEachType_routesEveryKeyToTarget() throws Exception {
    for (String type : List.of("fanout", "topic", "headers")) {
      String from = source + "-" + type;
      String to = from + ".due";
      try (RabbitIntake intake =
              RabbitIntake.builder(
                      punctual.queue("delayed-" + type, Codec.bytes()), broker.connections())
                  .source(from, type)
                  .target(to, "topic")
                  .queueType("classic")
                  .start();
          Mailbox mail = Mailbox.bound(broker.connections(), from + "-mail", to, "a.*.c")) {
        for (String key : List.of("a.b.c", "a.z.c")) {
          channel.basicPublish(from, key, true, delayed(10).build(), new byte[0]);
        }
        channel.waitForConfirmsOrDie(10_000);
        assertThat(mail.await(2))
            .extracting(Letter::routingKey)
            .containsExactlyInAnyOrder("a.b.c", "a.z.c");
        assertThat(intake.stats().failed()).isZero();
      }
    }
  }

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
      // The same message again replaces its dead letter, and is tried again.
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

  @Test
  void publish_expirationPassesWhileIntakeIsAway_isDelivered() throws Exception {
    for (String type : List.of("quorum", "classic")) {
      String from = source + "-" + type;
      RabbitIntake.Builder builder =
          RabbitIntake.builder(
                  punctual.queue("delayed-" + type, Codec.bytes()), broker.connections())
              .source(from)
              .target(from + ".due", "topic")
              .queueType(type);
      builder.start().close();
      channel.basicPublish(
          from,
          "the.key",
          true,
          delayed(300).expiration("100").messageId("m").build(),
          "x".getBytes(StandardCharsets.UTF_8));
      channel.waitForConfirmsOrDie(10_000);
      Awaitility.await().until(() -> channel.messageCount(from + ".intake.expired") == 1);
      try (Mailbox mail =
              Mailbox.bound(broker.connections(), from + "-mail", from + ".due", "the.*");
          RabbitIntake intake = builder.start()) {
        Letter letter = mail.await(1).get(0);
        assertThat(letter.routingKey()).isEqualTo("the.key");
        assertThat(letter.properties().getExpiration()).isEqualTo("100");
        assertThat(letter.header("x-death")).isNull();
        assertThat(letter.header(XDelay.HEADER)).isEqualTo(-300);
        assertThat(intake.stats().failed()).isZero();
      }
    }
  }

  @Test
  void publish_messageWasDeadLettered_arrivesWithoutItsHistory() throws Exception {
    try (RabbitIntake intake = intake().start();
        Mailbox mail = mailbox("key")) {
      channel.queueDeclare(
          source + "-first",
          true,
          false,
          false,
          Map.of("x-dead-letter-exchange", source, "x-dead-letter-routing-key", "key"));
      channel.basicPublish(
          "", source + "-first", delayed(50).expiration("10").build(), new byte[] {'x'});
      Letter letter = mail.await(1).get(0);
      assertThat(letter.header("x-death")).isNull();
      assertThat(letter.body()).isEqualTo("x");
      assertThat(intake.stats().failed()).isZero();
    }
  }

  @Test
  void publish_payloadAboveLimitOfStore_isInQueueForRefusedMessages() throws Exception {
    try (RabbitIntake intake = intake().start();
        Mailbox mail = mailbox("key")) {
      publish("key", delayed(10).build(), "x".repeat(2 << 20));
      publish("key", delayed(10).build(), "small");
      assertThat(mail.await(1).get(0).body()).isEqualTo("small");
      Awaitility.await().until(() -> channel.messageCount(source + ".intake.refused") == 1);
      GetResponse refused = channel.basicGet(source + ".intake.refused", true);
      assertThat(refused.getBody()).hasSize(2 << 20);
      assertThat(refused.getProps().getHeaders().get("x-punctual-reason"))
          .asString()
          .contains("payload");
      assertThat(intake.stats().handled()).isEqualTo(1);
    }
    assertThat(channel.messageCount(source + ".intake")).isZero();
  }

  @Test
  void close_messagesInIntakeQueue_stayThere() throws Exception {
    RabbitIntake intake = intake().start();
    intake.close();
    intake.close();
    publish("key", delayed(10).build(), "x");
    assertThat(channel.messageCount(source + ".intake")).isEqualTo(1);
  }

  @Test
  void close_storeIsClosedFirst_unackedMessagesStay() throws Exception {
    RabbitIntake intake = intake().start();
    punctual.close();
    publish("key", delayed(10).build(), "x");
    intake.await();
    intake.close();
    Awaitility.await().until(() -> channel.messageCount(source + ".intake") == 1);
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
  void start_wrongPassword_isRefused() {
    var factory = broker.connections();
    factory.setPassword("wrong");
    assertThatThrownBy(
            RabbitIntake.builder(queue, factory).source(source).target(target, "direct")::start)
        .isInstanceOf(PunctualException.class)
        .hasMessageContaining("password");
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
  void directSource_withAlternateExchangeByPolicy_worksWithoutDeclarations() throws Exception {
    channel.exchangeDeclare(source, BuiltinExchangeType.DIRECT, true);
    channel.exchangeDeclare(source + ".all", BuiltinExchangeType.FANOUT, true);
    channel.exchangeDeclare(target, BuiltinExchangeType.DIRECT, true);
    channel.queueDeclare(source + ".intake", true, false, false, null);
    channel.queueBind(source + ".intake", source + ".all", "");
    broker.control(
        "set_policy",
        "--apply-to",
        "exchanges",
        source,
        "^" + source + "$",
        "{\"alternate-exchange\":\"" + source + ".all\"}");
    try (RabbitIntake intake = intake().declare(false).start();
        Mailbox mail = mailbox("key")) {
      publish("key", delayed(50).build(), "x");
      assertThat(mail.await(1).get(0).routingKey()).isEqualTo("key");
      assertThat(intake.stats().failed()).isZero();
    }
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
        switched.away(true);
        for (int i = 0; i < 30; i++) {
          publish("key", delayed(100).messageId("m" + i).build(), "m" + i);
        }
        Awaitility.await().until(() -> channel.messageCount(source + ".intake") == 20);
        // The operations fail several times in this time; nothing is lost, and nothing more taken.
        Awaitility.await()
            .during(Duration.ofSeconds(1))
            .until(
                () -> channel.messageCount(source + ".intake") == 20 && mail.letters().isEmpty());
        switched.away(false);
        assertThat(mail.await(30)).extracting(Letter::body).doesNotHaveDuplicates();
        Awaitility.await().until(() -> delayed.counts().pending() == 0);
        assertThat(intake.stats().failed()).isZero();
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
      channel.waitForConfirmsOrDie(20_000);
      try (RabbitIntake intake = builder.start()) {
        Awaitility.await()
            .atMost(Duration.ofSeconds(30))
            .until(() -> delayed.counts().scheduled() == 500);
        assertThat(intake.stats().failed()).isZero();
      }
      assertThat(channel.messageCount(source + ".intake")).isZero();
    }
  }

  @Test
  void intakeQueueDeleted_isDeclaredAgain() throws Exception {
    try (RabbitIntake intake = intake().start();
        Mailbox mail = mailbox("key")) {
      channel.queueDelete(source + ".intake");
      Awaitility.await()
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
