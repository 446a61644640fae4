package io.punctual.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.kit.rabbitmq.RabbitBroker;
import io.punctual.rabbitmq.Mailbox.Letter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sends many messages with random delays, while the broker or the process of the intake is killed.
 * Checks that each message arrives, and that no message is early. A message may arrive more than
 * once, because a step whose success is unknown is repeated.
 *
 * <p>{@code -Dpunctual.rabbitmq.messages=N} sets the number of messages, and {@code
 * -Dpunctual.seed} repeats the delays.
 */
@Tag("faults")
final class RabbitFaultsTest {
  private static final int MESSAGES = Integer.getInteger("punctual.rabbitmq.messages", 2_000);
  private static final long SEED = Long.getLong("punctual.seed", System.nanoTime());
  private static final int LONGEST_DELAY = Math.max(4_000, MESSAGES / 3);
  private static final int BATCH = 100;

  private final RabbitBroker broker = RabbitBroker.shared();
  private final Random random = new Random(SEED);
  private final int[] delays = random.ints(MESSAGES, 0, LONGEST_DELAY).toArray();

  /** The time at which each message was first sent, under the number of the message. */
  private final Map<Integer, Long> sentAt = new ConcurrentHashMap<>();

  @TempDir private Path folder;

  /**
   * Sends all messages in batches, and sends a batch again if the broker has not confirmed all of
   * it. Runs {@code atThird} about once for each third of the messages.
   */
  private void publishAll(String source, Runnable atThird) {
    for (int begin = 0; begin < MESSAGES; begin += BATCH) {
      if (begin > 0 && begin % Math.max(BATCH, MESSAGES / 3 / BATCH * BATCH) == 0) {
        atThird.run();
      }
      int from = begin;
      Awaitility.await()
          .alias("the broker confirms messages from " + begin)
          .atMost(Duration.ofMinutes(2))
          .until(() -> publish(source, from, Math.min(MESSAGES, from + BATCH)));
    }
  }

  private boolean publish(String source, int begin, int end) {
    ConnectionFactory factory = broker.connections();
    factory.setAutomaticRecoveryEnabled(false);
    factory.setChannelRpcTimeout(20_000);
    try (Connection connection = factory.newConnection("publisher");
        Channel channel = connection.createChannel()) {
      channel.confirmSelect();
      for (int i = begin; i < end; i++) {
        sentAt.putIfAbsent(i, System.currentTimeMillis());
        AMQP.BasicProperties.Builder properties =
            new AMQP.BasicProperties.Builder()
                .deliveryMode(2)
                .headers(Map.of(XDelay.HEADER, delays[i]));
        if (i % 2 == 0) {
          properties.messageId("m" + i);
        }
        channel.basicPublish(source, "key", true, properties.build(), body(i));
      }
      channel.waitForConfirmsOrDie(20_000);
      return true;
    } catch (Exception e) {
      return false;
    }
  }

  private static byte[] body(int number) {
    return Integer.toString(number).getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Waits until all messages have arrived, and checks that none was early. Returns the number of
   * further copies, without redeliveries.
   */
  private int check(Mailbox mail, TestInfo test) {
    Set<Integer> arrived = new HashSet<>();
    Awaitility.await()
        .alias("all messages, seed " + SEED)
        .atMost(Duration.ofMillis(120_000 + 2L * LONGEST_DELAY))
        .pollInterval(Duration.ofMillis(200))
        .until(
            () -> {
              mail.letters().forEach(each -> arrived.add(Integer.parseInt(each.body())));
              return arrived.size() == MESSAGES;
            });
    Map<Integer, Integer> copies = new HashMap<>();
    List<Long> lateness = new ArrayList<>();
    for (Letter letter : mail.letters()) {
      int number = Integer.parseInt(letter.body());
      long late = letter.receivedAtMillis() - sentAt.get(number) - delays[number];
      assertThat(late).as("message %s, seed %s", number, SEED).isNotNegative();
      lateness.add(late);
      if (!letter.redelivered()) {
        copies.merge(number, 1, Integer::sum);
      }
    }
    int repeated = copies.values().stream().mapToInt(count -> count - 1).sum();
    lateness.sort(null);
    System.out.printf(
        "%s: %d messages, %d repeated, late by p50 %d ms, p99 %d ms, seed %d%n",
        test.getDisplayName(),
        MESSAGES,
        repeated,
        lateness.get(lateness.size() / 2),
        lateness.get(lateness.size() * 99 / 100),
        SEED);
    return repeated;
  }

  private void killBroker() {
    broker.kill();
    broker.restart();
  }

  @Test
  void intake_brokerIsKilledTwice_losesNothing(TestInfo test) {
    try (Punctual punctual = Punctual.open("journal:" + folder.resolve("journal"))) {
      TimedQueue<byte[]> queue = punctual.queue("delayed", Codec.bytes());
      try (RabbitIntake intake =
              RabbitIntake.builder(queue, broker.connections())
                  .source("faults")
                  .target("faults.due", "direct")
                  .start();
          Mailbox mail = Mailbox.bound(broker.connections(), "faults.mail", "faults.due", "key")) {
        broker.syncDeclarations();
        publishAll("faults", this::killBroker);
        int repeated = check(mail, test);
        Awaitility.await().until(() -> queue.counts().pending() == 0);
        assertThat(queue.counts().dead()).isZero();
        assertThat(intake.stats().buried()).isZero();
        // A kill can repeat the unacked messages of the intake, the messages in flight to the
        // target, and the unconfirmed batch of the publisher. The bound is for two kills.
        assertThat(repeated).isLessThan(2 * (1_000 + 256 + BATCH));
      }
    }
  }

  @Test
  void intake_processIsKilledTwice_losesNothing(TestInfo test) {
    Path journal = folder.resolve("journal");
    List<IntakeProcess> processes = new ArrayList<>();
    processes.add(IntakeProcess.start(broker, journal, "process"));
    try (Mailbox mail = Mailbox.bound(broker.connections(), "process.mail", "process.due", "key")) {
      publishAll(
          "process",
          () -> {
            processes.get(processes.size() - 1).close();
            processes.add(IntakeProcess.start(broker, journal, "process"));
          });
      int repeated = check(mail, test);
      assertThat(repeated).isLessThan(2 * (1_000 + 256));
    } finally {
      processes.forEach(IntakeProcess::close);
    }
  }

  @Test
  void bridge_brokerIsKilledTwice_losesNothing(TestInfo test) throws Exception {
    try (Connection connection = broker.connections().newConnection();
        Channel channel = connection.createChannel()) {
      channel.exchangeDeclare("second", BuiltinExchangeType.TOPIC, true);
    }
    try (Punctual punctual = Punctual.open("memory:");
        Mailbox mail = Mailbox.bound(broker.connections(), "second.mail", "second", "#")) {
      broker.syncDeclarations();
      TimedQueue<byte[]> queue = punctual.queue("due", Codec.bytes());
      try (RabbitBridge bridge =
          RabbitBridge.builder(queue, broker.connections())
              .exchange("second")
              .workerOptions(
                  WorkerOptions.builder().concurrency(256).lease(Duration.ofSeconds(5)).build())
              .start()) {
        for (int i = 0; i < MESSAGES; i++) {
          sentAt.put(i, System.currentTimeMillis());
          queue.schedule(Message.of(body(i)).id("m" + i).dueIn(Duration.ofMillis(delays[i])));
        }
        killBroker();
        mail.await(Math.min(MESSAGES, mail.letters().size() + MESSAGES / 4));
        killBroker();
        int repeated = check(mail, test);
        Awaitility.await().until(() -> queue.counts().pending() == 0);
        assertThat(queue.counts().dead()).isZero();
        assertThat(bridge.stats().failed()).isZero();
        assertThat(repeated).isLessThan(2 * 256);
      }
    }
  }
}
