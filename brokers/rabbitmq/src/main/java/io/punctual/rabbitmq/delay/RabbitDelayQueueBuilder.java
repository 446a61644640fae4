package io.punctual.rabbitmq.delay;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.ConnectionFactory;
import io.punctual.Codec;
import io.punctual.spi.DueTime;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The options of a {@link RabbitDelayQueue}. For use by one thread.
 *
 * @param <T> the payload's type
 */
public final class RabbitDelayQueueBuilder<T> {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]+");
  private static final int NAMESPACE_LENGTH = 100;
  private static final Duration SHORTEST_GRAIN = Duration.ofMillis(10);
  private static final Duration LONGEST_GRAIN = Duration.ofHours(1);

  /** RabbitMQ refuses a time to live above ten years. */
  private static final Duration LONGEST_DELAY = Duration.ofDays(3_600);

  private final ConnectionFactory factory;
  private final String name;
  private final Codec<T> codec;
  private List<Address> addresses = List.of();
  private QueueType type = QueueType.QUORUM;
  private DelayMethod delayMethod = DelayMethod.AUTO;
  private @Nullable SSLContext sslContext;
  private Duration grain = Duration.ofSeconds(1);
  private Duration maxDelay = Duration.ofDays(366);
  private String namespace = "punctual.delay";
  private Duration publishTimeout = Duration.ofSeconds(30);
  private Clock clock = Clock.systemUTC();

  RabbitDelayQueueBuilder(ConnectionFactory factory, String name, Codec<T> codec) {
    this.factory = Objects.requireNonNull(factory, "factory");
    this.name = checked(name, "A queue's name", Levels.NAME_LENGTH);
    this.codec = Objects.requireNonNull(codec, "codec");
  }

  private static String checked(String name, String what, int length) {
    if (name.length() > length || !NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          what
              + " has 1 to "
              + length
              + " characters, which are letters, digits, dot, dash or underscore; it was '"
              + name
              + "'");
    }
    return name;
  }

  /** Sets the clock by which this client decides whether a parked message is due. */
  RabbitDelayQueueBuilder<T> clock(Clock clock) {
    this.clock = clock;
    return this;
  }

  Clock clock() {
    return clock;
  }

  /** Sets the nodes of a cluster, which replace the host and the port of the factory. */
  public RabbitDelayQueueBuilder<T> addresses(List<Address> addresses) {
    this.addresses = List.copyOf(addresses);
    return this;
  }

  /** Sets the type of all queues that the client declares; {@link QueueType#QUORUM} by default. */
  public RabbitDelayQueueBuilder<T> queueType(QueueType type) {
    this.type = Objects.requireNonNull(type, "type");
    return this;
  }

  /**
   * Sets how the broker keeps messages until they are due; {@link DelayMethod#AUTO} by default. The
   * choice is made once, when the queue is opened.
   */
  public RabbitDelayQueueBuilder<T> delayMethod(DelayMethod delayMethod) {
    this.delayMethod = Objects.requireNonNull(delayMethod, "delayMethod");
    return this;
  }

  /**
   * Sets the TLS of the connection that parks messages; that connection also verifies the name of
   * the host. {@link DelayMethod#PARKING} needs this setting if the factory uses TLS, because the
   * context of the factory can't be read.
   */
  public RabbitDelayQueueBuilder<T> sslContext(SSLContext sslContext) {
    this.sslContext = Objects.requireNonNull(sslContext, "sslContext");
    return this;
  }

  /**
   * Sets the unit to which levels round delays up, from 10 milliseconds to an hour; a second by
   * default. A grain that is ten times finer adds 3 or 4 levels, and on average 1 or 2 hops for
   * each message. At high rates, these hops can overload the broker. Clients with different grains
   * have different levels.
   */
  public RabbitDelayQueueBuilder<T> grain(Duration grain) {
    if (grain.compareTo(SHORTEST_GRAIN) < 0
        || grain.compareTo(LONGEST_GRAIN) > 0
        || grain.toNanosPart() % 1_000_000 != 0) {
      throw new IllegalArgumentException(
          "grain must be between "
              + SHORTEST_GRAIN
              + " and "
              + LONGEST_GRAIN
              + " in whole milliseconds, but was "
              + grain);
    }
    this.grain = grain;
    return this;
  }

  /**
   * Sets the longest delay, which determines the number of levels: 25 with the defaults, which are
   * 366 days and a grain of a second. Publishers of the same levels may have different limits.
   *
   * @param maxDelay from a millisecond to 3,600 days, and less than 2<sup>32</sup> grains
   */
  public RabbitDelayQueueBuilder<T> maxDelay(Duration maxDelay) {
    if (DueTime.delayMillis(maxDelay) < 1 || maxDelay.compareTo(LONGEST_DELAY) > 0) {
      throw new IllegalArgumentException(
          "maxDelay must be between a millisecond and "
              + LONGEST_DELAY.toDays()
              + " days, but was "
              + maxDelay);
    }
    this.maxDelay = maxDelay;
    return this;
  }

  /**
   * Sets the prefix of the names of levels; {@code punctual.delay} by default. Delay queues with
   * the same namespace, grain and queue type share their levels.
   *
   * @param namespace 1 to 100 letters, digits, dots, dashes and underscores
   */
  public RabbitDelayQueueBuilder<T> namespace(String namespace) {
    this.namespace = checked(namespace, "A namespace", NAMESPACE_LENGTH);
    return this;
  }

  /**
   * Sets how long a publish waits for the broker, and then for the confirmation; 30 seconds by
   * default.
   */
  public RabbitDelayQueueBuilder<T> publishTimeout(Duration publishTimeout) {
    if (DueTime.delayMillis(publishTimeout) < 1
        || publishTimeout.compareTo(Duration.ofDays(1)) > 0) {
      throw new IllegalArgumentException(
          "publishTimeout must be between a millisecond and a day, but was " + publishTimeout);
    }
    this.publishTimeout = publishTimeout;
    return this;
  }

  /**
   * Connects, and declares the queues, the exchanges and the bindings that do not exist.
   *
   * @throws IllegalArgumentException if the longest delay has 2<sup>32</sup> grains or more, or
   *     {@link DelayMethod#PARKING} does not fit the other options or lacks its library
   * @throws io.punctual.StoreUnavailableException if no broker can be reached
   * @throws io.punctual.StoreRefusedException if the broker refuses the user, is too old for quorum
   *     queues or for {@link DelayMethod#PARKING}, or has a queue or an exchange of the same name
   *     with different properties
   */
  public RabbitDelayQueue<T> open() {
    return new RabbitDelayQueue<>(this);
  }

  ConnectionFactory factory() {
    return factory;
  }

  String name() {
    return name;
  }

  Codec<T> codec() {
    return codec;
  }

  List<Address> addresses() {
    return addresses;
  }

  QueueType type() {
    return type;
  }

  DelayMethod delayMethod() {
    return delayMethod;
  }

  @Nullable SSLContext sslContext() {
    return sslContext;
  }

  Duration publishTimeout() {
    return publishTimeout;
  }

  Levels levels() {
    return new Levels(namespace, type, grain.toMillis(), DueTime.delayMillis(maxDelay));
  }
}
