package io.punctual.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.ShutdownSignalException;
import io.punctual.kit.rabbitmq.RabbitBroker;
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

  @Test
  void ackFinished_laterMessagesAreFinished_doesNotAckAKeptMessage() throws Exception {
    String queue = "intake-queue-kept";
    RabbitBroker broker = RabbitBroker.shared();
    try (Connection observer = broker.connections().newConnection();
        Channel channel = observer.createChannel()) {
      channel.queueDeclare(queue, true, false, false, null);
      for (int i = 0; i < 5; i++) {
        channel.basicPublish("", queue, null, new byte[] {(byte) i});
      }
      Received received = new Received();
      try (Connection connection = broker.connections().newConnection()) {
        IntakeQueue intake = new IntakeQueue(connection, 10, received);
        intake.consume(queue, received);
        Awaitility.await().until(() -> received.deliveries.size() == 5);
        for (Delivery delivery : received.deliveries) {
          if (delivery.getBody()[0] == 1) {
            intake.keep(delivery.getEnvelope().getDeliveryTag());
          } else {
            Arrival arrival =
                new Arrival(intake.channel(), delivery, OriginalMessage.of(delivery, queue), true);
            arrival.finish();
            intake.add(arrival);
          }
        }
        intake.ackFinished();
        assertThat(intake.unacked()).isZero();
      }
      Awaitility.await().until(() -> channel.messageCount(queue) > 0);
      assertThat(channel.basicGet(queue, true).getBody()).containsExactly(1);
      assertThat(channel.messageCount(queue)).isZero();
    }
  }
}
