package io.punctual.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;

/**
 * A durable queue of a test, and all that its consumer has received. The consumer connects again
 * when the broker was restarted. A message is recorded before its ack, so after a lost connection
 * it can be recorded twice. Thread-safe.
 */
final class Mailbox implements AutoCloseable {
  private final ConnectionFactory factory;
  private final String queue;
  private final List<Letter> letters = new CopyOnWriteArrayList<>();
  private final Thread thread;
  private volatile boolean closed;
  private volatile Channel channel;

  /**
   * A received message.
   *
   * @param redelivered whether RabbitMQ may have delivered the message before
   */
  record Letter(
      String exchange,
      String routingKey,
      AMQP.BasicProperties properties,
      String body,
      long receivedAtMillis,
      boolean redelivered) {
    Object header(String name) {
      Map<String, Object> headers = properties.getHeaders();
      return headers == null ? null : headers.get(name);
    }
  }

  private Mailbox(ConnectionFactory factory, String queue) {
    this.factory = factory;
    this.queue = queue;
    thread = new Thread(this::run, "mailbox-" + queue);
    thread.setDaemon(true);
    thread.start();
    Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> channel != null);
  }

  /**
   * Declares a queue, binds it to the exchange unless this is the default exchange, and consumes
   * it.
   */
  static Mailbox bound(ConnectionFactory factory, String queue, String exchange, String key) {
    try (Connection connection = factory.newConnection();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare(queue, true, false, false, null);
      if (!exchange.isEmpty()) {
        channel.queueBind(queue, exchange, key);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (TimeoutException e) {
      throw new IllegalStateException(e);
    }
    return new Mailbox(factory, queue);
  }

  private void run() {
    ConnectionFactory plain = factory.clone();
    plain.setAutomaticRecoveryEnabled(false);
    while (!closed) {
      try (Connection connection = plain.newConnection("mailbox")) {
        consume(connection);
        while (!closed && connection.isOpen()) {
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
      } catch (IOException | TimeoutException | RuntimeException e) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
      }
    }
  }

  private void consume(Connection connection) throws IOException {
    Channel opened = connection.createChannel();
    opened.basicQos(500);
    opened.basicConsume(
        queue,
        false,
        (tag, message) -> {
          letters.add(
              new Letter(
                  message.getEnvelope().getExchange(),
                  message.getEnvelope().getRoutingKey(),
                  message.getProperties(),
                  new String(message.getBody(), StandardCharsets.UTF_8),
                  System.currentTimeMillis(),
                  message.getEnvelope().isRedeliver()));
          opened.basicAck(message.getEnvelope().getDeliveryTag(), false);
        },
        tag -> {});
    channel = opened;
  }

  List<Letter> letters() {
    return List.copyOf(letters);
  }

  /** Waits until at least this many messages have arrived, and returns them. */
  List<Letter> await(int count) {
    Awaitility.await()
        .alias(queue)
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(20))
        .until(() -> letters.size() >= count);
    return letters();
  }

  @Override
  public void close() {
    closed = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
