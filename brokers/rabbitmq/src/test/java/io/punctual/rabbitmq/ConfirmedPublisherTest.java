package io.punctual.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class ConfirmedPublisherTest {
  /** A listener that throws at the first connection. */
  private static final class FaultyListener implements ConfirmedPublisher.Listener {
    private final AtomicInteger connections = new AtomicInteger();

    @Override
    public void available() {
      if (connections.getAndIncrement() == 0) {
        throw new IllegalStateException("A planned failure");
      }
    }

    @Override
    public void unavailable() {}

    @Override
    public boolean isOver() {
      return false;
    }
  }

  @Test
  void unexpectedExceptionOnThePublishingThread_doesNotEndThePublisher() throws Exception {
    RabbitBroker broker = RabbitBroker.shared();
    String queue = "publisher-after-exception";
    try (Connection connection = broker.connections().newConnection();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare(queue, true, false, false, null);
      FaultyListener listener = new FaultyListener();
      ConfirmedPublisher publisher =
          new ConfirmedPublisher(
              new Connector("test", broker.connections(), List.of(), new Outage()),
              "due",
              Duration.ofSeconds(30),
              listener);
      publisher.start();
      try {
        Outgoing message =
            new Outgoing("id", "", queue, new AMQP.BasicProperties(), new byte[] {1}, true);
        publisher.publish(message);
        Void unused = message.confirmed().get(20, TimeUnit.SECONDS);
        assertThat(listener.connections).hasValue(2);
        assertThat(channel.messageCount(queue)).isEqualTo(1);
      } finally {
        publisher.close();
      }
    }
  }
}
