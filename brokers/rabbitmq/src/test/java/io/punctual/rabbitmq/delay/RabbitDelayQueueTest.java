package io.punctual.rabbitmq.delay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.punctual.Codec;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests publishers, levels, and the topology. */
final class RabbitDelayQueueTest extends DelayQueueFixture {
  /** The largest number of expired messages that the broker moves at a time. */
  private static final int MOVED_AT_A_TIME = 32;

  private static final int MANY = 100;

  @ParameterizedTest
  @EnumSource(QueueType.class)
  void publish_shortDelayBehindLongDelay_isNotBlocked(QueueType type) throws Exception {
    RabbitDelayQueue<String> queue = open(builder().queueType(type));
    BlockingQueue<Received> received = new LinkedBlockingQueue<>();
    RabbitWorker unused = queue.work(delivery -> received.add(Received.of(delivery)));
    long start = System.nanoTime();
    String unusedId = queue.publish("longest", Duration.ofHours(1));
    unusedId = queue.publish("long", Duration.ofSeconds(2));
    unusedId = queue.publish("short", Duration.ofMillis(500));
    unusedId = queue.publish("now", Duration.ZERO);
    assertThat(next(received).payload()).isEqualTo("now");
    Received early = next(received);
    assertThat(early.payload()).isEqualTo("short");
    assertThat(early.nanos() - start).isGreaterThanOrEqualTo(Duration.ofMillis(500).toNanos());
    Received late = next(received);
    assertThat(late.payload()).isEqualTo("long");
    assertThat(late.nanos() - start).isGreaterThan(Duration.ofSeconds(2).toNanos());
    assertThat(received).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(QueueType.class)
  void publish_randomDelays_arriveOnceAndNeverEarly(QueueType type) {
    assertRandomDelaysArrive(open(builder().queueType(type)));
  }

  @Test
  void publish_reservedOrLongHeader_isRefusedBeforeItIsSent() {
    RabbitDelayQueue<String> queue = open();
    for (String header : List.of("CC", "BCC", "x-death", Headers.ATTEMPTS, "n".repeat(256))) {
      assertThatThrownBy(() -> queue.publish("x", SOON, Map.of(header, "v")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("header");
    }
    assertThatThrownBy(() -> queue.publish("x", Duration.ofHours(2)))
        .hasMessageContaining("maxDelay");
    assertThatThrownBy(() -> queue.publish("x".repeat(2_000_000), SOON))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void queueNames_oneIsTheEndOfTheOther_receiveTheirOwnMessages() throws Exception {
    RabbitDelayQueue<String> queue = open();
    RabbitDelayQueue<String> other =
        open(
            RabbitDelayQueue.builder(broker.connections(), "other." + name, Codec.string())
                .grain(Duration.ofMillis(100))
                .maxDelay(Duration.ofHours(1)));
    BlockingQueue<String> received = new LinkedBlockingQueue<>();
    BlockingQueue<String> receivedByOther = new LinkedBlockingQueue<>();
    RabbitWorker unused = queue.work(delivery -> received.add(delivery.payload()));
    unused = other.work(delivery -> receivedByOther.add(delivery.payload()));
    String unusedId = other.publish("other", SOON);
    unusedId = queue.publish("mine", SOON);
    assertThat(next(receivedByOther)).isEqualTo("other");
    assertThat(next(received)).isEqualTo("mine");
    assertThat(received).isEmpty();
    assertThat(receivedByOther).isEmpty();
  }

  @Test
  void open_queueWithOtherArguments_saysWhatToDo() throws Exception {
    try (Connection connection = broker.connections().newConnection();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare(name, true, false, false, null);
    }
    assertThatThrownBy(this::open)
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContaining("Declaring queue '" + name + "'")
        .hasMessageContaining("PRECONDITION_FAILED")
        .hasMessageContaining("choose a different queue name");
  }

  @Test
  void open_wrongPasswordOrNoBroker_saysWhatToDo() {
    var factory = broker.connections();
    factory.setPassword("wrong");
    assertThatThrownBy(() -> RabbitDelayQueue.builder(factory, name, Codec.string()).open())
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContaining("password");
    assertThatThrownBy(() -> RabbitDelayQueue.open("amqp://127.0.0.1:1", name, Codec.string()))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("can be reached");
  }

  @Test
  void publish_queueWasDeleted_isRefusedAndTheNextPublishDeclaresIt() throws Exception {
    RabbitDelayQueue<String> queue = open();
    try (Connection connection = broker.connections().newConnection();
        Channel channel = connection.createChannel()) {
      var unused = channel.queueDelete(name);
    }
    assertThatThrownBy(() -> queue.publish("x", Duration.ZERO))
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContaining("returned");
    String unusedId = queue.publish("y", Duration.ZERO);
    BlockingQueue<String> received = new LinkedBlockingQueue<>();
    RabbitWorker unused = queue.work(delivery -> received.add(delivery.payload()));
    assertThat(next(received)).isEqualTo("y");
  }

  @ParameterizedTest
  @EnumSource(QueueType.class)
  void queueDeleted_manyMessagesWait_becomeOrphansAndDoNotBlockOtherQueues(QueueType type)
      throws Exception {
    RabbitDelayQueueBuilder<String> options = builder().queueType(type).namespace(name);
    RabbitDelayQueue<String> other =
        open(
            RabbitDelayQueue.builder(broker.connections(), name + ".other", Codec.string())
                .queueType(type)
                .namespace(name)
                .grain(Duration.ofMillis(100))
                .maxDelay(Duration.ofHours(1)));
    BlockingQueue<String> received = new LinkedBlockingQueue<>();
    RabbitWorker unused = other.work(delivery -> received.add(delivery.payload()));
    Duration delay = Duration.ofSeconds(3);
    try (Connection connection = broker.connections().newConnection();
        Channel channel = connection.createChannel()) {
      int latest = publishAndDelete(options, delay, channel);
      int orphans = latest;
      while (latest <= MOVED_AT_A_TIME) {
        delay = delay.multipliedBy(3);
        latest = publishAndDelete(options, delay, channel);
        orphans += latest;
      }
      int all = orphans;
      String unusedId = other.publish("other", delay.plus(SOON));
      assertThat(next(received)).isEqualTo("other");
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> channel.messageCount(options.levels().orphans()) == all);
    }
  }

  /**
   * Publishes messages and deletes their queue. Returns the number of messages that were not due
   * before; on a slow machine, some can be.
   */
  private int publishAndDelete(
      RabbitDelayQueueBuilder<String> options, Duration delay, Channel channel) throws IOException {
    RabbitDelayQueue<String> queue = open(options);
    CompletableFuture<?>[] publishes = new CompletableFuture<?>[MANY];
    for (int i = 0; i < MANY; i++) {
      publishes[i] = queue.publishAsync("m" + i, delay).toCompletableFuture();
    }
    CompletableFuture.allOf(publishes).join();
    return MANY - channel.queueDelete(name).getMessageCount();
  }

  @ParameterizedTest
  @CsvSource({"QUORUM,1000,366", "QUORUM,1000,3600", "CLASSIC,1000,3600", "QUORUM,100,3600"})
  void publish_longestDelay_waitsInTheHighestLevels(QueueType type, int grain, int days)
      throws Exception {
    Duration longest = Duration.ofDays(days);
    RabbitDelayQueueBuilder<String> options =
        builder().namespace(name).queueType(type).grain(Duration.ofMillis(grain)).maxDelay(longest);
    RabbitDelayQueue<String> queue = open(options);
    BlockingQueue<String> received = new LinkedBlockingQueue<>();
    RabbitWorker unused = queue.work(delivery -> received.add(delivery.payload()));
    String unusedId = queue.publish("first", longest);
    unusedId = queue.publish("second", longest);
    unusedId = queue.publish("soon", Duration.ofSeconds(1));
    assertThat(next(received)).isEqualTo("soon");
    try (Connection connection = broker.connections().newConnection();
        Channel channel = connection.createChannel()) {
      Levels levels = options.levels();
      assertThat(channel.messageCount(levels.name(levels.count() - 1))).isEqualTo(2);
    }
  }

  @Test
  void open_manyClientsAtOnce_declareTheSameTopology() {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    List<CompletableFuture<RabbitDelayQueue<String>>> clients = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      clients.add(CompletableFuture.supplyAsync(() -> builder().namespace(name).open(), threads));
    }
    clients.forEach(client -> open.add(client.join()));
    threads.shutdown();
    assertThat(open).hasSize(4);
  }

  @Test
  void memoryAlarm_publishers_waitAndThenFailOrContinue() throws Exception {
    RabbitDelayQueue<String> queue = open(builder().publishTimeout(Duration.ofSeconds(2)));
    BlockingQueue<String> received = new LinkedBlockingQueue<>();
    RabbitWorker unused = queue.work(delivery -> received.add(delivery.payload()));
    String unusedId = queue.publish("before", Duration.ofMillis(500));
    broker.raiseMemoryAlarm();
    try {
      assertThatThrownBy(() -> queue.publish("first", Duration.ZERO))
          .hasMessageContaining("blocks publishers");
      assertThatThrownBy(() -> queue.publish("second", Duration.ZERO))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("was not sent");
      assertThat(next(received)).isEqualTo("before");
    } finally {
      broker.clearMemoryAlarm();
    }
    await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () -> {
              try {
                return queue.publish("after", Duration.ZERO) != null;
              } catch (StoreUnavailableException blocked) {
                return false;
              }
            });
    Optional<String> after = Optional.of(next(received));
    // The message 'first' may have been sent before the alarm took effect. Then RabbitMQ stores the
    // message when the alarm ends.
    assertThat(after.get().equals("first") ? next(received) : after.get()).isEqualTo("after");
  }
}
