package io.punctual.rabbitmq.delay;

import io.punctual.PunctualException;
import io.punctual.StoreRefusedException;
import io.punctual.rabbitmq.internal.Endpoint;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Decides whether the messages of a delay queue wait in a {@link ParkingQueue}. */
final class ParkingChoice {
  private static final String LIBRARY = "com.rabbitmq.client:amqp-client";
  private static final String LIBRARY_CLASS = "com.rabbitmq.client.amqp.Environment";

  private ParkingChoice() {}

  /**
   * Returns a connected parker, or null if the messages wait in levels.
   *
   * @throws IllegalArgumentException if {@link DelayMethod#PARKING} does not fit the other options
   * @throws PunctualException if {@link DelayMethod#PARKING} is impossible with this broker, or no
   *     broker can be reached
   */
  static @Nullable Parker choose(
      RabbitDelayQueueBuilder<?> builder, Endpoint endpoint, DelayLog log) {
    if (builder.delayMethod() == DelayMethod.LEVELS) {
      return null;
    }
    boolean must = builder.delayMethod() == DelayMethod.PARKING;
    Optional<String> conflict = conflict(builder);
    if (conflict.isPresent()) {
      if (must) {
        throw new IllegalArgumentException("Messages can't be parked: " + conflict.get());
      }
      log.levels(conflict.get());
      return null;
    }
    Optional<BrokerVersion> version =
        BrokerVersion.of(endpoint, "punctual " + builder.name() + " version");
    if (version.isEmpty() || version.get().isBefore(4, 3)) {
      String reason =
          "the broker has version "
              + version.map(BrokerVersion::toString).orElse("unknown")
              + ", but needs RabbitMQ 4.3 or newer";
      if (must) {
        throw new StoreRefusedException(
            "Messages can't be parked: " + reason + "; use DelayMethod.LEVELS", null);
      }
      log.levels(reason);
      return null;
    }
    try {
      return Parker.connect(builder, log);
    } catch (StoreRefusedException e) {
      if (must) {
        throw e;
      }
      log.levels(String.valueOf(e.getMessage()));
      return null;
    }
  }

  /** Returns why the options or the class path do not allow parking. */
  private static Optional<String> conflict(RabbitDelayQueueBuilder<?> builder) {
    if (builder.type() != QueueType.QUORUM) {
      return Optional.of("the broker parks messages in quorum queues only");
    }
    if (builder.factory().isSSL() && builder.sslContext() == null) {
      return Optional.of("the connections use TLS, but sslContext is not set");
    }
    try {
      Class<?> unused = Class.forName(LIBRARY_CLASS, false, ParkingChoice.class.getClassLoader());
      return Optional.empty();
    } catch (ClassNotFoundException e) {
      return Optional.of("the library " + LIBRARY + " is not on the class path");
    }
  }
}
