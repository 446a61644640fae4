package io.punctual.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.RetryPolicy;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.kit.rabbitmq.RabbitBroker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;

/**
 * An intake between two exchanges that no other test uses. Their names contain the name of the
 * test.
 */
abstract class IntakeFixture {
  static final WorkerOptions QUICK_RETRIES =
      WorkerOptions.builder()
          .concurrency(64)
          .retryPolicy(RetryPolicy.fixed(Duration.ofMillis(50)).maxAttempts(2))
          .build();
  final RabbitBroker broker = RabbitBroker.shared();
  final Punctual punctual = Punctual.open("memory:");
  final TimedQueue<byte[]> queue = punctual.queue("delayed", Codec.bytes());
  String source;
  String target;
  Connection connection;
  Channel channel;

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

  RabbitIntake.Builder intake() {
    return RabbitIntake.builder(queue, broker.connections())
        .source(source)
        .target(target, "direct")
        .workerOptions(QUICK_RETRIES);
  }

  Mailbox mailbox(String key) {
    return Mailbox.bound(broker.connections(), source + "-" + key, target, key);
  }

  static AMQP.BasicProperties.Builder delayed(Object delay) {
    return new AMQP.BasicProperties.Builder().deliveryMode(2).headers(Map.of(XDelay.HEADER, delay));
  }

  void publish(String key, AMQP.BasicProperties properties, String body) throws Exception {
    channel.basicPublish(source, key, true, properties, body.getBytes(StandardCharsets.UTF_8));
    channel.waitForConfirmsOrDie(10_000);
  }
}
