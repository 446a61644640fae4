package io.punctual.rabbitmq.delay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests delays by parked messages instead of levels; skipped on brokers before 4.3. */
final class ParkingTest extends DelayQueueFixture {
  @BeforeEach
  void brokerParks() {
    ParkingBroker.assume(broker);
  }

  @Override
  DelayMethod delayMethod() {
    return DelayMethod.PARKING;
  }

  private BlockingQueue<Received> receive(RabbitDelayQueue<String> queue) {
    BlockingQueue<Received> received = new LinkedBlockingQueue<>();
    RabbitWorker unused = queue.work(delivery -> received.add(Received.of(delivery)));
    return received;
  }

  @Test
  void publish_randomDelays_arriveOnceAndNeverEarly() {
    assertRandomDelaysArrive(open());
  }

  @Test
  void publish_longDelays_doNotBlockAShortOne() throws Exception {
    // A delay of 60 days, in milliseconds, does not fit into an unsigned integer of 32 bits.
    Duration longest = Duration.ofDays(3_600);
    RabbitDelayQueue<String> queue = open(builder().maxDelay(longest));
    BlockingQueue<Received> received = receive(queue);
    String unusedId = queue.publish("years", longest);
    unusedId = queue.publish("months", Duration.ofDays(60));
    unusedId = queue.publish("soon", Duration.ofSeconds(1));
    assertThat(next(received).payload()).isEqualTo("soon");
    assertThat(received).isEmpty();
  }

  @Test
  void clientsWithDifferentMethods_shareAQueue() throws Exception {
    RabbitDelayQueue<String> parking = open();
    RabbitDelayQueue<String> levels = open(builder().delayMethod(DelayMethod.LEVELS));
    BlockingQueue<Received> received = receive(levels);
    String unusedId = parking.publish("parked", Duration.ofSeconds(2));
    unusedId = levels.publish("levels", SOON);
    assertThat(next(received).payload()).isEqualTo("levels");
    assertThat(next(received).payload()).isEqualTo("parked");
  }

  @Test
  void auto_brokerParks_declaresNoLevels() throws Exception {
    RabbitDelayQueueBuilder<String> options =
        builder().delayMethod(DelayMethod.AUTO).namespace(name);
    RabbitDelayQueue<String> queue = open(options);
    BlockingQueue<Received> received = receive(queue);
    String unusedId = queue.publish("x", SOON);
    assertThat(next(received).payload()).isEqualTo("x");
    assertThat(broker.control("list_queues", "name", "--silent"))
        .contains(ParkingQueue.name(name))
        .doesNotContain(options.levels().name(0));
  }

  @Test
  void noParkerRuns_messagesWait_andTheNextClientMovesThem() throws Exception {
    RabbitDelayQueue<String> first = open();
    String unusedId = first.publish("x", SOON);
    first.close();
    BlockingQueue<Received> received = receive(open());
    assertThat(next(received).attempt()).isEqualTo(1);
  }

  /**
   * Both clients receive parked messages, so the client with the wrong clock could deliver some too
   * early.
   */
  @Test
  void clockOfAClientIsAnHourAhead_messagesAreNotEarly() throws Exception {
    RabbitDelayQueue<String> publisher = open();
    RabbitDelayQueue<String> fast =
        open(builder().clock(Clock.offset(Clock.systemUTC(), Duration.ofHours(1))));
    BlockingQueue<Received> received = receive(fast);
    Duration delay = Duration.ofSeconds(2);
    int messages = 40;
    long start = System.nanoTime();
    for (int i = 0; i < messages; i++) {
      String unusedId = publisher.publish("m" + i, delay);
    }
    for (int i = 0; i < messages; i++) {
      assertThat(next(received).nanos() - start).isGreaterThan(delay.toNanos());
    }
    assertThat(received).isEmpty();
  }

  @Test
  void parkerDiesOften_messageIsNotEarly() throws Exception {
    RabbitDelayQueue<String> queue = open();
    BlockingQueue<Received> received = receive(queue);
    long start = System.nanoTime();
    Duration delay = Duration.ofSeconds(6);
    String unusedId = queue.publish("x", delay);
    // By default, a quorum queue gives up a message after 20 deliveries.
    for (int i = 0; i < 25; i++) {
      open().close();
    }
    Received message = next(received);
    assertThat(message.nanos() - start).isGreaterThan(delay.toNanos());
    assertThat(message.attempt()).isEqualTo(1);
  }

  @Test
  void parkingQueue_foreignMessageWithoutADueTime_movesOn() throws Exception {
    BlockingQueue<Received> received = receive(open());
    try (Connection connection = broker.connections().newConnection();
        Channel channel = connection.createChannel()) {
      channel.basicPublish("", ParkingQueue.name(name), null, "x".getBytes(StandardCharsets.UTF_8));
    }
    assertThat(next(received).payload()).isEqualTo("x");
  }

  @Test
  void parkingQueueDeleted_messagesThatFollow_arrive() throws Exception {
    RabbitDelayQueue<String> queue = open();
    BlockingQueue<Received> received = receive(queue);
    try (Connection connection = broker.connections().newConnection();
        Channel channel = connection.createChannel()) {
      var unused = channel.queueDelete(ParkingQueue.name(name));
    }
    await()
        .atMost(Duration.ofMinutes(1))
        .ignoreExceptions()
        .until(() -> queue.publish("x", SOON) != null);
    assertThat(next(received).payload()).isEqualTo("x");
  }
}
