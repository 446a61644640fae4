package io.punctual.rabbitmq.delay;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import io.punctual.SettleOutcome;
import io.punctual.rabbitmq.internal.Connector;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A consumer on a connection of its own. When the channel closes, the broker delivers the unacked
 * messages again, perhaps to a different consumer. Safe for use by many threads.
 */
final class ConsumerChannel {
  private static final int CANCEL_SECONDS = 5;

  private final Connector connector;
  private final Connection connection;
  private final Channel channel;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final CountDownLatch cancelled = new CountDownLatch(1);
  private volatile @Nullable String consumerTag;
  private volatile String reason = "The channel was closed";

  private ConsumerChannel(Connector connector, Connection connection, Channel channel) {
    this.connector = connector;
    this.connection = connection;
    this.channel = channel;
  }

  /**
   * Starts a consumer on a connection of the connector. The consumer has up to {@code prefetch}
   * unacked messages at a time.
   *
   * @param receiver receives each message on a thread of the AMQP client, and must not block
   */
  static ConsumerChannel open(
      Connector connector,
      Connection connection,
      String queue,
      int prefetch,
      BiConsumer<ConsumerChannel, Delivery> receiver) {
    try {
      Channel channel =
          connection.openChannel().orElseThrow(() -> new IOException("No channel is free"));
      ConsumerChannel consumer = new ConsumerChannel(connector, connection, channel);
      channel.basicQos(prefetch);
      consumer.consumerTag =
          channel.basicConsume(queue, false, consumer.new Callbacks(channel, receiver));
      return consumer;
    } catch (IOException | RuntimeException e) {
      connector.close(connection);
      throw Failures.of("Consuming queue '" + queue + "'", e);
    } catch (Error e) {
      connector.close(connection);
      throw e;
    }
  }

  /** The callbacks of the AMQP client. */
  private final class Callbacks extends DefaultConsumer {
    private final BiConsumer<ConsumerChannel, Delivery> receiver;

    Callbacks(Channel channel, BiConsumer<ConsumerChannel, Delivery> receiver) {
      super(channel);
      this.receiver = receiver;
    }

    @Override
    public void handleDelivery(
        String tag, Envelope envelope, BasicProperties properties, byte[] body) {
      receiver.accept(ConsumerChannel.this, new Delivery(envelope, properties, body));
    }

    @Override
    public void handleCancelOk(String tag) {
      cancelled.countDown();
    }

    @Override
    public void handleCancel(String tag) {
      reason = "The broker cancelled the consumer, because the queue was deleted or moved";
      end();
    }

    @Override
    public void handleShutdownSignal(String tag, ShutdownSignalException signal) {
      reason = Failures.describe(signal);
      end();
    }
  }

  private void end() {
    cancelled.countDown();
    ended.countDown();
  }

  /** Returns whether acks still reach the broker. */
  boolean isOpen() {
    return channel.isOpen();
  }

  SettleOutcome ack(Delivery delivery) {
    try {
      channel.basicAck(delivery.getEnvelope().getDeliveryTag(), false);
      return SettleOutcome.DONE;
    } catch (AlreadyClosedException | IOException e) {
      return SettleOutcome.LEASE_LOST;
    } catch (RuntimeException | Error e) {
      // Perhaps the ack was sent, so a nack could be wrong.
      close();
      return SettleOutcome.LEASE_LOST;
    }
  }

  /** Refuses a message, so that the broker moves it to the dead-letter queue. */
  void reject(Delivery delivery) {
    try {
      channel.basicReject(delivery.getEnvelope().getDeliveryTag(), false);
    } catch (AlreadyClosedException | IOException e) {
      // The broker delivers the message again.
    }
  }

  /** Returns a message to the queue, so that the broker delivers it again. */
  void giveBack(Delivery delivery) {
    try {
      channel.basicNack(delivery.getEnvelope().getDeliveryTag(), false, true);
    } catch (AlreadyClosedException | IOException e) {
      // The broker delivers the message again.
    } catch (RuntimeException | Error e) {
      // Only the close of the channel then returns the message.
      close();
    }
  }

  /** Waits until the consumer receives no more messages, and returns the reason. */
  String awaitEnd() throws InterruptedException {
    ended.await();
    return reason;
  }

  /**
   * Stops the deliveries, and waits up to five seconds until the receiver has received the last
   * delivery.
   */
  void cancel() {
    String tag = consumerTag;
    if (tag == null) {
      return;
    }
    try {
      channel.basicCancel(tag);
      boolean unused = cancelled.await(CANCEL_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | RuntimeException alreadyClosed) {
      end();
    }
  }

  /** Closes the connection; acks that were sent before the close still reach the broker. */
  void close() {
    connector.close(connection);
    end();
  }
}
