package io.punctual.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.MessageProperties;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class RabbitBrokerTest {
  private final RabbitBroker broker = RabbitBroker.shared();

  @Test
  void kill_durableQueue_keepsConfirmedMessages() throws Exception {
    try (Connection connection = broker.connections().newConnection();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare("kept", true, false, false, null);
      channel.confirmSelect();
      channel.basicPublish(
          "", "kept", MessageProperties.PERSISTENT_BASIC, "x".getBytes(StandardCharsets.UTF_8));
      channel.waitForConfirmsOrDie();
    }
    broker.syncDeclarations();
    broker.kill();
    broker.restart();
    try (Connection connection = broker.connections().newConnection();
        Channel channel = connection.createChannel()) {
      assertThat(channel.basicGet("kept", true).getBody()).containsExactly('x');
    }
  }

  @Test
  void raiseMemoryAlarm_publishingConnection_isBlockedUntilCleared() throws Exception {
    CountDownLatch blocked = new CountDownLatch(1);
    CountDownLatch unblocked = new CountDownLatch(1);
    try (Connection connection = broker.connections().newConnection();
        Channel channel = connection.createChannel()) {
      connection.addBlockedListener(reason -> blocked.countDown(), unblocked::countDown);
      broker.raiseMemoryAlarm();
      channel.basicPublish("", "none", null, new byte[0]);
      assertThat(blocked.await(30, TimeUnit.SECONDS)).isTrue();
      broker.clearMemoryAlarm();
      assertThat(unblocked.await(30, TimeUnit.SECONDS)).isTrue();
    }
  }
}
