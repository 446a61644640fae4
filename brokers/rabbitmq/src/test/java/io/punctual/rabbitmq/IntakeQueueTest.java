package io.punctual.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.ShutdownSignalException;
import io.punctual.kit.rabbitmq.RabbitBroker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

final class IntakeQueueTest {
  private static final class Received implements IntakeQueue.Listener {
    private final List<Delivery> deliveries = new CopyOnWriteArrayList<>();

    @Override
    public void arrived(Channel channel, Delivery delivery) {
      deliveries.add(delivery);
    }

    @Override
    public void ended(Channel channel, ShutdownSignalException cause) {}

    @Override
    public void cancelled(Channel channel) {}
  }

  private final Received received = new Received();
  private final IntakeCounters counters = new IntakeCounters();
  private final RabbitBroker broker = RabbitBroker.shared();

  private static Arrival arrival(IntakeQueue intake, Delivery delivery, String queue) {
    Arrival arrival =
        new Arrival(intake.channel(), delivery, OriginalMessage.of(delivery, queue), true);
    intake.add(arrival);
    return arrival;
  }

  @Test
  void ackFinished_laterMessagesAreFinished_doesNotAckAnUnfinishedMessage() throws Exception {
    String queue = "intake-queue-unfinished";
    try (Connection observer = broker.connections().newConnection();
        Channel channel = observer.createChannel()) {
      channel.queueDeclare(queue, true, false, false, null);
      for (int i = 0; i < 5; i++) {
        channel.basicPublish("", queue, null, new byte[] {(byte) i});
      }
      try (Connection connection = broker.connections().newConnection()) {
        IntakeQueue intake =
            new IntakeQueue(connection, new Inflow(Long.MAX_VALUE), counters, received);
        intake.consume(queue, 10, received);
        Awaitility.await()
            .atMost(Duration.ofMinutes(1))
            .until(() -> received.deliveries.size() == 5);
        for (Delivery delivery : received.deliveries) {
          Arrival arrival = arrival(intake, delivery, queue);
          if (delivery.getBody()[0] != 1) {
            arrival.finish();
          }
        }
        intake.ackFinished();
        assertThat(intake.unacked()).isEqualTo(1);
        assertThat(counters.stats().unacked()).isEqualTo(1);
        assertThat(counters.stats().unackedBytes()).isEqualTo(1);
      }
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> channel.messageCount(queue) > 0);
      assertThat(channel.basicGet(queue, true).getBody()).containsExactly(1);
      assertThat(channel.messageCount(queue)).isZero();
    }
  }

  /** The prefetch allows all messages at once, and their bytes are many times the limit. */
  @Test
  void largeMessages_waitInTheBroker_whileTooManyBytesAreUnacked() throws Exception {
    int size = 200_000;
    int messages = 60;
    int most = 5;
    String queue = "intake-queue-bytes";
    try (Connection observer = broker.connections().newConnection();
        Channel channel = observer.createChannel()) {
      channel.queueDeclare(queue, true, false, false, null);
      for (int i = 0; i < messages; i++) {
        channel.basicPublish("", queue, null, new byte[size]);
      }
      Inflow inflow = new Inflow((long) size * (most - 1));
      try (Connection connection =
          broker
              .connections()
              .newConnection(
                  new CallerExecutor(),
                  List.of(new Address("127.0.0.1", broker.port())),
                  "bytes")) {
        IntakeQueue intake = new IntakeQueue(connection, inflow, counters, received);
        intake.consume(queue, 1_000, received);
        inflow.start();
        for (int taken = 0; taken < messages; taken++) {
          int next = taken;
          Awaitility.await()
              .atMost(Duration.ofMinutes(1))
              .pollInterval(Duration.ofMillis(2))
              .until(() -> received.deliveries.size() > next);
          assertThat(received.deliveries.size() - taken).isLessThanOrEqualTo(most);
          arrival(intake, received.deliveries.get(taken), queue).finish();
          intake.ackFinished();
        }
        intake.cancel();
      }
      assertThat(channel.messageCount(queue)).isZero();
    }
  }

  @Test
  void end_ofAQueueWithTooManyBytes_letsTheConnectionClose() throws Exception {
    String queue = "intake-queue-end";
    try (Connection observer = broker.connections().newConnection();
        Channel channel = observer.createChannel()) {
      channel.queueDeclare(queue, true, false, false, null);
      for (int i = 0; i < 5; i++) {
        channel.basicPublish("", queue, null, new byte[1_000]);
      }
      Inflow inflow = new Inflow(1);
      Connection connection =
          broker
              .connections()
              .newConnection(
                  new CallerExecutor(), List.of(new Address("127.0.0.1", broker.port())), "end");
      IntakeQueue intake = new IntakeQueue(connection, inflow, counters, received);
      inflow.start();
      intake.consume(queue, 1_000, received);
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> received.deliveries.size() == 1);
      intake.end();
      connection.close();
      assertThat(received.deliveries).hasSize(1);
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> channel.messageCount(queue) == 5);
    }
  }
}
