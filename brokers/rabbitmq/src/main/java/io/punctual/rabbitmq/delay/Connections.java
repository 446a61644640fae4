package io.punctual.rabbitmq.delay;

import com.rabbitmq.client.Connection;
import io.punctual.StoreRefusedException;
import io.punctual.rabbitmq.internal.Connector;
import io.punctual.rabbitmq.internal.Endpoint;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/** Opens connections to the broker, and declares the topology. Thread-safe. */
final class Connections {
  private final Endpoint endpoint;
  private final Topology topology;

  Connections(Endpoint endpoint, Topology topology) {
    this.endpoint = endpoint;
    this.topology = topology;
  }

  /**
   * Returns a connector whose connections declare the topology.
   *
   * @param name shown in RabbitMQ's list of connections
   */
  Connector connector(String name) {
    return new Connector(name, endpoint, this::prepare, null);
  }

  /**
   * Opens a connection to a broker, and declares the topology.
   *
   * @throws io.punctual.StoreUnavailableException if no broker can be reached
   * @throws StoreRefusedException if the broker refuses the user or the topology, or is too old
   */
  static Connection open(Connector connector) {
    try {
      return connector.connectOnce();
    } catch (IOException | TimeoutException e) {
      throw Failures.of("Connecting to RabbitMQ", e);
    }
  }

  private void prepare(Connection connection) {
    checkVersion(connection);
    topology.declare(connection);
  }

  /**
   * Throws if the broker is too old for the type of the queues. Quorum queues expire messages, and
   * dead-letter them at least once, from version 3.10 on.
   */
  private void checkVersion(Connection connection) {
    if (topology.type() != QueueType.QUORUM) {
      return;
    }
    Optional<BrokerVersion> version = BrokerVersion.of(connection);
    if (version.isPresent() && version.get().isBefore(3, 10)) {
      throw new StoreRefusedException(
          "The broker has version "
              + version.get()
              + ", but quorum queues delay messages from RabbitMQ 3.10 on; upgrade the broker, or"
              + " use QueueType.CLASSIC",
          null);
    }
  }
}
