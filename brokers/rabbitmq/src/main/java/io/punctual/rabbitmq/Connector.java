package io.punctual.rabbitmq;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import com.rabbitmq.client.SocketConfigurator;
import io.punctual.rabbitmq.internal.VerifiedTls;
import java.io.IOException;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens connections to RabbitMQ, one at a time, and logs the start and the end of an outage. One
 * thread connects; {@link #stop} and {@link #breakConnection} are thread-safe.
 */
final class Connector {
  private static final Logger log = LoggerFactory.getLogger(Connector.class);
  private static final long FIRST_WAIT_MILLIS = 200;
  private static final long LONGEST_WAIT_MILLIS = 10_000;
  private static final int CLOSE_MILLIS = 5_000;

  private final String name;
  private final ConnectionFactory factory;
  private final List<Address> addresses;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Outage outage;
  private final @Nullable ExecutorService consumers;
  private volatile @Nullable Socket socket;

  /**
   * Creates a connector.
   *
   * @param name the name of the connections, in logs and in RabbitMQ
   * @param given the factory to copy; the copy recovers neither connections nor their topology,
   *     because the users of this class do so
   * @param addresses the nodes of a cluster, or empty for the address of the factory
   * @param outage the outage to report to; the log has a single outage for all connectors that
   *     share this object
   */
  Connector(String name, ConnectionFactory given, List<Address> addresses, Outage outage) {
    this(name, given, addresses, outage, null);
  }

  /**
   * Creates a connector whose connections call consumers by this executor, or by threads of
   * RabbitMQ's client if it is null.
   */
  Connector(
      String name,
      ConnectionFactory given,
      List<Address> addresses,
      Outage outage,
      @Nullable ExecutorService consumers) {
    this.name = name;
    this.outage = outage;
    this.consumers = consumers;
    this.addresses = List.copyOf(addresses);
    factory = given.clone();
    factory.setAutomaticRecoveryEnabled(false);
    factory.setTopologyRecoveryEnabled(false);
    VerifiedTls.apply(factory, name);
    SocketConfigurator configurator = factory.getSocketConfigurator();
    factory.setSocketConfigurator(
        opened -> {
          configurator.configure(opened);
          socket = opened;
        });
  }

  String name() {
    return name;
  }

  /** Tries once to open a connection, and throws if that fails. */
  Connection connectOnce() throws IOException, TimeoutException {
    List<Address> nodes =
        addresses.isEmpty()
            ? List.of(new Address(factory.getHost(), factory.getPort()))
            : addresses;
    return consumers == null
        ? factory.newConnection(nodes, name)
        : factory.newConnection(consumers, nodes, name);
  }

  /**
   * Returns whether a thread of the last connection reads from a socket of its own, so that the
   * thread can wait without an effect on writes and other connections.
   */
  boolean readsOnOwnThread() {
    return socket != null;
  }

  /** Opens a connection, and tries until it is open; returns null after {@link #stop}. */
  @Nullable Connection connect() {
    for (int attempt = 0; !isStopped(); attempt++) {
      try {
        Connection connection = connectOnce();
        if (outage.connected(this)) {
          log.info("{}: connected to RabbitMQ again", name);
        }
        return connection;
      } catch (IOException | TimeoutException | RuntimeException e) {
        failed("can't connect to RabbitMQ", e);
      } catch (Error e) {
        // An error, such as a lack of memory for a thread, may pass.
        breakConnection();
        failed("can't connect to RabbitMQ", e);
      }
      pause(attempt);
    }
    return null;
  }

  /**
   * Waits before the next attempt: longer after more failures, but at most ten seconds. {@link
   * #stop} ends the wait.
   */
  void pause(int failures) {
    long bound = Math.min(LONGEST_WAIT_MILLIS, FIRST_WAIT_MILLIS << Math.min(failures, 10));
    long wait = bound / 2 + ThreadLocalRandom.current().nextLong(bound / 2 + 1);
    try {
      boolean unused = stopped.await(wait, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      stop();
    }
  }

  /**
   * Records a failure. Logs it if it starts an outage, or as a reminder, at most once a minute.
   *
   * @param what the failure, for example "can't connect to RabbitMQ"
   */
  void failed(String what, @Nullable Throwable cause) {
    if (isStopped() || !outage.failed(this)) {
      return;
    }
    log.warn(
        "{}: {}: {}. Check that RabbitMQ runs at {}, and that its address is right. The messages"
            + " wait, and the client tries again, after {} seconds at most",
        name,
        what,
        reason(cause),
        where(),
        TimeUnit.MILLISECONDS.toSeconds(LONGEST_WAIT_MILLIS),
        isExpected(cause) ? null : cause);
    log.debug("{}: {}", name, what, cause);
  }

  private String where() {
    return addresses.isEmpty()
        ? factory.getHost() + ":" + factory.getPort()
        : addresses.stream().map(Address::toString).collect(Collectors.joining(", "));
  }

  /** Returns whether the stack trace of a failure would not help to find the cause. */
  private static boolean isExpected(@Nullable Throwable cause) {
    return cause == null
        || cause instanceof IOException
        || cause instanceof TimeoutException
        || cause instanceof ShutdownSignalException;
  }

  private static String reason(@Nullable Throwable cause) {
    if (cause == null) {
      return "the connection ended";
    }
    Throwable named =
        cause.getMessage() == null && cause.getCause() != null ? cause.getCause() : cause;
    String text = named.getMessage();
    return text == null
        ? named.getClass().getSimpleName()
        : named.getClass().getSimpleName() + ": " + text;
  }

  boolean isStopped() {
    return stopped.getCount() == 0;
  }

  /** Ends the attempts to connect. */
  void stop() {
    stopped.countDown();
  }

  /** Closes a connection, in about five seconds at most. */
  void close(Connection connection) {
    Thread closer =
        new Thread(
            () -> {
              connection.abort(CLOSE_MILLIS);
            },
            name + "-close");
    closer.setDaemon(true);
    try {
      closer.start();
      closer.join(CLOSE_MILLIS);
    } catch (OutOfMemoryError noThread) {
      breakConnection();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (closer.isAlive()) {
      breakConnection();
    }
  }

  /**
   * Closes the socket. If a thread is blocked in a write because the peer does not read, it gets an
   * exception. Returns at once.
   */
  void breakConnection() {
    Socket opened = socket;
    if (opened == null) {
      return;
    }
    try {
      // Without this option, the close of a TLS socket would wait for the blocked writer.
      opened.setSoLinger(true, 0);
      opened.close();
    } catch (IOException e) {
      log.debug("{}: can't close the socket", name, e);
    }
  }
}
