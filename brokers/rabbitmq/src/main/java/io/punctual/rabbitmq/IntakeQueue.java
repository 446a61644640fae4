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
import java.util.TreeMap;

/**
 * The consumers of an intake on one channel, and the messages that are not acked. Used by the
 * intake's thread, except that RabbitMQ's client calls the listener on its own threads.
 */
final class IntakeQueue {
  private final Channel channel;
  private final List<String> consumers = new ArrayList<>();
  private final TreeMap<Long, Arrival> unacked = new TreeMap<>();
  private final Inflow inflow;
  private final IntakeCounters counters;

  /** Receives messages and notices of RabbitMQ. Called on threads of its client. */
  interface Listener {
    void arrived(Channel channel, Delivery delivery);

    void ended(Channel channel, ShutdownSignalException cause);

    /** RabbitMQ has cancelled a consumer, for example because its queue was deleted. */
    void cancelled(Channel channel);
  }

  /**
   * Opens a channel.
   *
   * @param inflow bounds the bytes of the messages, by waits of the thread that calls the listener
   */
  IntakeQueue(Connection connection, Inflow inflow, IntakeCounters counters, Listener listener)
      throws IOException {
    this.inflow = inflow;
    this.counters = counters;
    channel = connection.createChannel();
    channel.addShutdownListener(cause -> listener.ended(channel, cause));
  }

  Channel channel() {
    return channel;
  }

  /** Starts to consume a queue, with at most {@code prefetch} unacked messages. */
  void consume(String queue, int prefetch, Listener listener) throws IOException {
    channel.basicQos(prefetch);
    consumers.add(
        channel.basicConsume(
            queue,
            false,
            new DefaultConsumer(channel) {
              @Override
              public void handleDelivery(
                  String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] body) {
                // Otherwise the connection closes, and RabbitMQ keeps the message.
                if (inflow.enter(body.length)) {
                  listener.arrived(channel, new Delivery(envelope, properties, body));
                  inflow.awaitRoom();
                }
              }

              @Override
              public void handleCancel(String tag) {
                listener.cancelled(channel);
              }
            }));
  }

  void add(Arrival arrival) {
    unacked.put(arrival.tag(), arrival);
    counters.unacked.incrementAndGet();
    counters.unackedBytes.addAndGet(arrival.bytes());
  }

  /** Returns the number of messages that still have to be acked. */
  int unacked() {
    return unacked.size();
  }

  /**
   * Acks the finished messages. A single frame acks all messages before the first message that is
   * unfinished.
   */
  void ackFinished() throws IOException {
    long upTo = 0;
    while (!unacked.isEmpty() && unacked.firstEntry().getValue().isDone()) {
      Arrival first = unacked.pollFirstEntry().getValue();
      upTo = first.tag();
      removed(first);
    }
    if (upTo > 0) {
      channel.basicAck(upTo, true);
    }
    for (Iterator<Arrival> each = unacked.values().iterator(); each.hasNext(); ) {
      Arrival arrival = each.next();
      if (arrival.isDone()) {
        channel.basicAck(arrival.tag(), false);
        each.remove();
        removed(arrival);
      }
    }
  }

  private void removed(Arrival arrival) {
    counters.unacked.decrementAndGet();
    counters.unackedBytes.addAndGet(-arrival.bytes());
    inflow.leave(arrival.bytes());
  }

  /** Stops the deliveries. Messages that have arrived can still be acked. */
  void cancel() throws IOException {
    inflow.end();
    for (String consumer : consumers) {
      channel.basicCancel(consumer);
    }
    consumers.clear();
  }

  /** Ends the use of the channel, so that its connection can be closed. */
  void end() {
    inflow.end();
    unacked.values().forEach(this::removed);
    unacked.clear();
  }
}
