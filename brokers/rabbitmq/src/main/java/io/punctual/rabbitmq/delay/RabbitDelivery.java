package io.punctual.rabbitmq.delay;

import io.punctual.SettleOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A message that the broker has delivered and that waits for its settlement. A consumer settles a
 * delivery once, by an ack, a retry or a bury; a second settlement throws {@link
 * IllegalStateException}. Without a settlement the broker delivers the message again when the
 * channel of the consumer closes.
 *
 * <p>A settlement returns {@link SettleOutcome#DONE}, or {@link SettleOutcome#LEASE_LOST} if the
 * channel is closed: then the broker delivers the message again. {@code DONE} means that the ack
 * was sent. The broker does not confirm acks, so a connection that breaks just then causes a second
 * delivery.
 *
 * <p>Safe for use by many threads.
 *
 * @param <T> the payload's type
 */
public interface RabbitDelivery<T> {
  /**
   * Returns the property {@code message-id}. {@link RabbitDelayQueue} sets a random id, which stays
   * the same in retries; the id of a message from a different publisher can be empty.
   */
  String id();

  /** Returns the queue's name. */
  String queue();

  /** Returns the payload. */
  T payload();

  /** Returns the publisher's headers as strings, without those of the broker; unmodifiable. */
  Map<String, String> headers();

  /**
   * Returns the number of this attempt, from 1. It counts the failed attempts of the message and,
   * on a quorum queue, the earlier deliveries of the current attempt that ended without a
   * settlement. A classic queue does not count such deliveries.
   */
  int attempt();

  /**
   * Returns whether the attempts have reached the limit of the retry policy: if the handler throws,
   * the message becomes a dead letter.
   */
  boolean isLastAttempt();

  /**
   * Returns when the message was due by the clock of its publisher, to the millisecond; empty if a
   * different program published it.
   */
  Optional<Instant> dueAt();

  /**
   * Returns whether the channel is closed. The broker then delivers the message again, perhaps to a
   * different consumer.
   */
  boolean isLost();

  /** Returns whether the handler or the worker has settled the delivery. */
  boolean isSettled();

  /** Removes the message, because it was processed. */
  SettleOutcome ack();

  /**
   * Publishes the message once more with this delay, waits for the confirmation, and acks this
   * delivery. A crash between the two steps duplicates the message. The attempt counts.
   *
   * @param delay from now; levels round it up to the grain; a negative delay means now
   * @throws IllegalArgumentException if the delay exceeds the limit of the queue
   * @throws io.punctual.PunctualException as {@link RabbitDelayQueue#publish}; the delivery is not
   *     settled then
   */
  SettleOutcome retry(Duration delay);

  /**
   * Publishes the message to the dead-letter queue with this reason, waits for the confirmation,
   * and acks this delivery. A crash between the two steps duplicates the message.
   *
   * @param reason cut to 300 characters
   * @throws io.punctual.PunctualException as {@link RabbitDelayQueue#publish}; the delivery is not
   *     settled then
   */
  SettleOutcome bury(String reason);
}
