package io.punctual.rabbitmq.delay;

import io.punctual.rabbitmq.internal.Outgoing;
import io.punctual.spi.DueTime;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The levels of a delay: level n is a queue whose messages wait 2<sup>n</sup> ticks, and a topic
 * exchange in front of it. A tick is the grain of the {@link RabbitDelayQueue}. A routing key has a
 * digit for each level, the highest first, and the name of the target queue. The exchange of a
 * level sends a message with the digit 1 to its own queue, and with the digit 0 to the exchange
 * below. An expired message goes to the exchange below, too. So a message waits in one queue for
 * each 1 bit of its delay. All messages of a queue wait equally long, so a long delay never blocks
 * a short delay.
 *
 * <p>For example, a message with a delay of 5 ticks enters at the exchange of level 2, and waits 4
 * ticks in the queue of level 2. Then it passes the exchange of level 1, and waits a tick in the
 * queue of level 0. It leaves through the exchange {@link #exit}, which has a binding for each
 * target queue. Immutable.
 */
final class Levels implements Waits {
  /** The number of digits of a routing key, and the largest number of levels. */
  static final int DIGITS = 32;

  /**
   * The maximum length of the name of a target queue. The name and the digits then fit into the 255
   * bytes of a routing key.
   */
  static final int NAME_LENGTH = 190;

  private final String prefix;
  private final QueueType type;
  private final long grainMillis;
  private final long maxDelayMillis;
  private final int count;

  /**
   * Creates the levels for delays up to {@code maxDelayMillis}.
   *
   * @throws IllegalArgumentException if the delay needs more than {@link #DIGITS} levels
   */
  Levels(String namespace, QueueType type, long grainMillis, long maxDelayMillis) {
    long mostTicks = ceilDiv(maxDelayMillis, grainMillis);
    if (mostTicks >= 1L << DIGITS) {
      throw new IllegalArgumentException(
          "maxDelay is "
              + maxDelayMillis
              + " ms, but a grain of "
              + grainMillis
              + " ms allows less than "
              + (1L << DIGITS) * grainMillis
              + " ms; use a shorter maxDelay or a longer grain");
    }
    this.prefix = namespace + "." + type.argument() + "-" + grainMillis + "ms";
    this.type = type;
    this.grainMillis = grainMillis;
    this.maxDelayMillis = maxDelayMillis;
    this.count = Math.max(1, Long.SIZE - Long.numberOfLeadingZeros(mostTicks));
  }

  Duration maxDelay() {
    return Duration.ofMillis(maxDelayMillis);
  }

  /**
   * Returns the milliseconds of a delay, rounded up; 0 for a negative delay.
   *
   * @throws IllegalArgumentException if the delay is longer than {@link #maxDelay}
   */
  long millis(Duration delay) {
    long millis = DueTime.delayMillis(delay);
    if (millis > maxDelayMillis) {
      throw new IllegalArgumentException(
          "A delay of this queue has up to "
              + maxDelay()
              + ", but was "
              + delay
              + "; use a longer maxDelay");
    }
    return millis;
  }

  int count() {
    return count;
  }

  /** Returns the name of the queue and of the exchange of a level. */
  String name(int level) {
    return String.format(Locale.ROOT, "%s.level-%02d", prefix, level);
  }

  /** Returns the name of the exchange behind the last level. */
  String exit() {
    return prefix + ".exit";
  }

  /**
   * Returns the name of the exchange and the queue that receive messages whose target queue is
   * gone. Otherwise these messages would occupy the broker's worker that moves expired messages,
   * and so stop the messages of other queues.
   */
  String orphans() {
    return prefix + ".orphans";
  }

  String below(int level) {
    return level == 0 ? exit() : name(level - 1);
  }

  /** Returns the ticks of a delay, rounded up; 0 for a negative delay. */
  long ticks(long nanos) {
    return Math.max(0, ceilDiv(nanos, TimeUnit.MILLISECONDS.toNanos(grainMillis)));
  }

  private static long ceilDiv(long value, long divisor) {
    return -Math.floorDiv(-value, divisor);
  }

  /** Returns the exchange that delays a message by this number of ticks, at least 1. */
  String entrance(long ticks) {
    return name(Long.SIZE - 1 - Long.numberOfLeadingZeros(ticks));
  }

  static String routingKey(long ticks, String queue) {
    StringBuilder key = new StringBuilder(2 * DIGITS + queue.length());
    for (int level = DIGITS - 1; level >= 0; level--) {
      key.append((ticks >>> level) & 1).append('.');
    }
    return key.append(queue).toString();
  }

  @Override
  public Outgoing.Route firstHop(String queue, long nanos) {
    long ticks = ticks(nanos);
    return new Outgoing.Route(entrance(ticks), routingKey(ticks, queue));
  }

  /** Returns the pattern of the routing keys with this digit at a level. */
  static String pattern(int level, int digit) {
    return "*.".repeat(DIGITS - 1 - level) + digit + ".#";
  }

  /**
   * Returns the pattern of the routing keys of a queue. The pattern has a star for each digit,
   * because {@code #.orders} would also match the key of the queue {@code shop.orders}.
   */
  static String exitPattern(String queue) {
    return "*.".repeat(DIGITS) + queue;
  }

  Map<String, Object> arguments(int level) {
    Map<String, Object> arguments = new LinkedHashMap<>();
    arguments.put("x-queue-type", type.argument());
    // Adds a millisecond, because the broker cuts the time of arrival to milliseconds.
    arguments.put("x-message-ttl", (grainMillis << level) + 1);
    arguments.put("x-dead-letter-exchange", below(level));
    if (type == QueueType.QUORUM) {
      arguments.putAll(CONFIRMED);
    }
    return arguments;
  }

  /**
   * The arguments with which a quorum queue keeps an expired message until the next queue has
   * confirmed it. Without {@code reject-publish} the broker ignores the dead-letter strategy.
   */
  static final Map<String, Object> CONFIRMED =
      Map.of("x-dead-letter-strategy", "at-least-once", "x-overflow", "reject-publish");
}
