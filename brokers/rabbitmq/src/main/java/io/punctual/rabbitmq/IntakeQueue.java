package io.punctual.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The consumers of an intake on one channel, and the messages that are not acked. Used by the
 * intake's thread, except that RabbitMQ's client calls the listener on its own threads.
 */
final class IntakeQueue {
  private final Channel channel;
  private final List<String> consumers = new ArrayList<>();
  private final TreeMap<Long, Arrival> unacked = new TreeMap<>();

  /**
   * The delivery tag of the first message that is kept unacked; an ack of several messages ends
   * before this message.
   */
  private long firstKept = Long.MAX_VALUE;

  /** Receives messages and notices of RabbitMQ. Called on threads of its client. */
  interface Listener {
    void arrived(Channel channel, Delivery delivery);

    void ended(Channel channel, ShutdownSignalException cause);

    /** RabbitMQ has cancelled a consumer, for example because its queue was deleted. */
    void cancelled(Channel channel);
  }

  /** Opens a channel that receives at most {@code prefetch} unacked messages of each queue. */
  IntakeQueue(Connection connection, int prefetch, Listener listener) throws IOException {
    channel = connection.createChannel();
    channel.basicQos(prefetch);
    channel.addShutdownListener(cause -> listener.ended(channel, cause));
  }

  Channel channel() {
    return channel;
  }

  /** Starts to consume a queue. */
  void consume(String queue, Listener listener) throws IOException {
    consumers.add(
        channel.basicConsume(
            queue,
            false,
            new DefaultConsumer(channel) {
              @Override
              public void handleDelivery(
                  String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] body) {
                listener.arrived(channel, new Delivery(envelope, properties, body));
              }

              @Override
              public void handleCancel(String tag) {
                listener.cancelled(channel);
              }
            }));
  }

  void add(Arrival arrival) {
    unacked.put(arrival.tag(), arrival);
  }

  /** Leaves a message unacked until the channel is closed. */
  void keep(long tag) {
    firstKept = Math.min(firstKept, tag);
  }

  /**
   * Returns the number of messages that still have to be acked, without the messages that are kept.
   */
  int unacked() {
    return unacked.size();
  }

  void forEach(Consumer<Arrival> action) {
    List.copyOf(unacked.values()).forEach(action);
  }

  /**
   * Acks the finished messages. A single frame acks all messages before the first message that is
   * unfinished or kept unacked.
   */
  void ackFinished() throws IOException {
    long upTo = 0;
    while (!unacked.isEmpty()
        && unacked.firstKey() < firstKept
        && unacked.firstEntry().getValue().isDone()) {
      upTo = unacked.pollFirstEntry().getKey();
    }
    if (upTo > 0) {
      channel.basicAck(upTo, true);
    }
    for (Iterator<Map.Entry<Long, Arrival>> each = unacked.entrySet().iterator();
        each.hasNext(); ) {
      Map.Entry<Long, Arrival> entry = each.next();
      if (entry.getValue().isDone()) {
        channel.basicAck(entry.getKey(), false);
        each.remove();
      }
    }
  }

  /** Stops the deliveries. Messages that have arrived can still be acked. */
  void cancel() throws IOException {
    for (String consumer : consumers) {
      channel.basicCancel(consumer);
    }
    consumers.clear();
  }
}
