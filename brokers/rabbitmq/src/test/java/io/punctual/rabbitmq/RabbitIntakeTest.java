package io.punctual.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.BuiltinExchangeType;
import io.punctual.Codec;
import io.punctual.State;
import io.punctual.rabbitmq.Mailbox.Letter;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Tests delays, properties and routes. */
final class RabbitIntakeTest extends IntakeFixture {
  /** The headers of an arrived message whose publisher set only the header of the delay. */
  private static final String[] HEADERS = {
    XDelay.HEADER, RabbitBridge.ID_HEADER, RabbitBridge.ATTEMPT_HEADER
  };

  @Test
  void publish_severalDelays_arriveInOrderOfDueTime_neverEarly() throws Exception {
    // The test of the plugin for delayed messages uses the same delays.
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
      // The intake acks a message after the broker has confirmed it, so the mailbox can receive the
      // message before the ack.
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> intake.stats().handled() == 1);
    }
  }

  @Test
  @SuppressWarnings("JavaUtilDate") // The client of RabbitMQ requires this type.
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
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> queue.counts().scheduled() == 2);
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
        channel.waitForConfirmsOrDie(60_000);
        assertThat(mail.await(2))
            .extracting(Letter::routingKey)
            .containsExactlyInAnyOrder("a.b.c", "a.z.c");
        assertThat(intake.stats().failed()).isZero();
      }
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
      channel.waitForConfirmsOrDie(60_000);
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> channel.messageCount(from + ".intake.expired") == 1);
      try (Mailbox mail =
              Mailbox.bound(broker.connections(), from + "-mail", from + ".due", "the.*");
          RabbitIntake intake = builder.start()) {
        Letter letter = mail.await(1).get(0);
        assertThat(letter.routingKey()).isEqualTo("the.key");
        assertThat(letter.properties().getExpiration()).isEqualTo("100");
        assertThat(letter.properties().getHeaders()).containsOnlyKeys(HEADERS);
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
      assertThat(letter.properties().getHeaders()).containsOnlyKeys(HEADERS);
      assertThat(letter.body()).isEqualTo("x");
      assertThat(intake.stats().failed()).isZero();
    }
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
}
