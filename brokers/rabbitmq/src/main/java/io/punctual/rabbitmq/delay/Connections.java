package io.punctual.rabbitmq.delay;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.SocketConfigurator;
import io.punctual.StoreRefusedException;
import io.punctual.rabbitmq.internal.VerifiedTls;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens connections to the broker, and declares the topology. Automatic recovery of the AMQP client
 * is off, because the publisher and the consumers open new connections themselves. Thread-safe.
 */
final class Connections {
  private static final Logger log = LoggerFactory.getLogger(Connections.class);
  private static final int CLOSE_MILLIS = 5_000;
  private static final int SHORTEST_WAIT_MILLIS = 5_000;

  private final ConnectionFactory factory;
  private final List<Address> addresses;
  private final Topology topology;

  /**
   * A connection and its socket, which is null if the factory uses NIO. The socket ends a write
   * that is blocked because the broker does not read.
   */
  record Opened(Connection connection, @Nullable Socket socket) {
    /** Closes the socket, so that a blocked write fails. Returns at once. */
    void breakSocket() {
      breakNow(socket);
    }
  }

  private static void breakNow(@Nullable Socket socket) {
    if (socket == null) {
      return;
    }
    try {
      // Without this option, the close of a TLS socket would wait for the blocked writer.
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException e) {
      log.debug("Can't close the socket of a connection to RabbitMQ", e);
    }
  }

  /**
   * Creates connections.
   *
   * @param publishTimeout the largest time-out of a connection, but at least five seconds. Longer
   *     time-outs of the factory are reduced to it, so that a publish does not wait for minutes
   */
  Connections(
      ConnectionFactory factory,
      List<Address> addresses,
      Topology topology,
      Duration publishTimeout) {
    this.factory = factory.clone();
    int most = (int) Math.max(SHORTEST_WAIT_MILLIS, publishTimeout.toMillis());
    this.factory.setConnectionTimeout(atMost(most, factory.getConnectionTimeout()));
    this.factory.setHandshakeTimeout(atMost(most, factory.getHandshakeTimeout()));
    this.factory.setChannelRpcTimeout(atMost(most, factory.getChannelRpcTimeout()));
    this.factory.setAutomaticRecoveryEnabled(false);
    this.factory.setTopologyRecoveryEnabled(false);
    VerifiedTls.apply(this.factory, "punctual-delay-queue");
    this.addresses = List.copyOf(addresses);
    this.topology = topology;
  }

  /** Returns the shorter time-out; a {@code given} time-out of zero means no limit. */
  private static int atMost(int most, int given) {
    return given == 0 ? most : Math.min(most, given);
  }

  /**
   * Opens a connection to a broker, and declares the topology.
   *
   * @param name shown in RabbitMQ's list of connections
   * @throws io.punctual.StoreUnavailableException if no broker can be reached
   * @throws StoreRefusedException if the broker refuses the user or the topology, or is too old
   */
  Opened open(String name) {
    Connection connection = null;
    boolean usable = false;
    try {
      Opened opened = connect(name);
      connection = opened.connection;
      checkVersion(connection);
      topology.declare(connection);
      usable = true;
      return opened;
    } catch (IOException | TimeoutException e) {
      throw Failures.of("Connecting to RabbitMQ", e);
    } finally {
      if (connection != null && !usable) {
        close(connection);
      }
    }
  }

  private Opened connect(String name) throws IOException, TimeoutException {
    AtomicReference<@Nullable Socket> socket = new AtomicReference<>();
    SocketConfigurator configurator = factory.getSocketConfigurator();
    ConnectionFactory own = factory.clone();
    own.setSocketConfigurator(
        opened -> {
          configurator.configure(opened);
          socket.set(opened);
        });
    try {
      Connection connection =
          addresses.isEmpty() ? own.newConnection(name) : own.newConnection(addresses, name);
      return new Opened(connection, socket.get());
    } catch (Error e) {
      // The client closes the socket after an Exception, but not after an Error.
      breakNow(socket.get());
      throw e;
    }
  }

  /**
   * Returns the version of the broker; empty if it is not a version of RabbitMQ.
   *
   * @throws io.punctual.PunctualException as {@link #open}
   */
  Optional<BrokerVersion> version(String name) {
    try {
      Connection connection = connect(name).connection;
      try {
        return BrokerVersion.of(connection);
      } finally {
        close(connection);
      }
    } catch (IOException | TimeoutException e) {
      throw Failures.of("Connecting to RabbitMQ", e);
    }
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

  /** Sends the buffered data of a connection, and closes it. Takes about five seconds at most. */
  static void close(Connection connection) {
    try {
      connection.close(CLOSE_MILLIS);
    } catch (IOException | RuntimeException e) {
      log.debug("A connection to RabbitMQ was closed already", e);
      connection.abort();
    }
  }
}
