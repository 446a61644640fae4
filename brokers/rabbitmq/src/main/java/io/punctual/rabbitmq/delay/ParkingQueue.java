package io.punctual.rabbitmq.delay;

import io.punctual.rabbitmq.internal.Outgoing;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The queue in which the messages of a delay queue wait until they are due; the alternative to
 * {@link Levels}. {@link Parker} returns each message to the broker together with its due time. At
 * that time the broker delivers the message again, and the parker rejects it. The broker then moves
 * the rejected message to the delay queue.
 */
final class ParkingQueue implements Waits {
  private static final String SUFFIX = ".parking";

  /** Returns the name of the queue in which the messages of a delay queue wait. */
  static String name(String queue) {
    return queue + SUFFIX;
  }

  static Map<String, Object> arguments(String queue) {
    Map<String, Object> arguments = new LinkedHashMap<>();
    arguments.put("x-queue-type", QueueType.QUORUM.argument());
    arguments.put("x-delayed-retry-type", "all");
    // The delay of messages that return because a client died: the shortest delay that the broker
    // accepts.
    arguments.put("x-delayed-retry-min", 1);
    // With a limit, the broker would move messages early after that many dead clients.
    arguments.put("x-delivery-limit", -1);
    arguments.put("x-dead-letter-exchange", "");
    arguments.put("x-dead-letter-routing-key", queue);
    arguments.putAll(Levels.CONFIRMED);
    return arguments;
  }

  @Override
  public Outgoing.Route firstHop(String queue, long nanos) {
    return new Outgoing.Route("", name(queue));
  }
}
