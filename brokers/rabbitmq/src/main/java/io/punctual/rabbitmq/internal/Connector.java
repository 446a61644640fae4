package io.punctual.rabbitmq.internal;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import com.rabbitmq.client.SocketConfigurator;
import io.punctual.PunctualException;
import io.punctual.internal.runtime.Backoff;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the connections of one user, one at a time, prepares them, and logs the start and the end
 * of an outage. One thread connects; {@link #stop} and {@link #breakConnection} are thread-safe.
 */
public final class Connector {
  private static final Logger log = LoggerFactory.getLogger(Connector.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
  private static final int CLOSE_MILLIS = 5_000;

  private final String name;
  private final Endpoint endpoint;
  private final ConnectionFactory factory;
  private final Preparation preparation;
  private final @Nullable ExecutorService consumers;
  private final Backoff backoff = new Backoff(FIRST_PAUSE, LONGEST_PAUSE);
  private final CountDownLatch stopped = new CountDownLatch(1);
  private volatile @Nullable Socket socket;

  /** Prepares a connection before its use: declares queues, or refuses the broker. */
  @FunctionalInterface
  public interface Preparation {
    /** Throws if the connection can't be used. The connector then closes it. */
    void prepare(Connection connection) throws IOException, TimeoutException;
  }

  /** The use of a connection. */
  @FunctionalInterface
  public interface Service {
    /**
     * Uses a connection until it is lost, and closes it. Returns whether it was of use, so that the
     * next pause is short.
     */
    boolean serve(Connection connection) throws InterruptedException;
  }

  /**
   * Creates a connector whose connections need no preparation, and call consumers by threads of
   * RabbitMQ's client.
   */
  public Connector(String name, Endpoint endpoint) {
    this(name, endpoint, connection -> {}, null);
  }

  /**
   * Creates a connector.
   *
   * @param name the name of the connections, in logs and in RabbitMQ
   * @param consumers calls consumers, or null for threads of RabbitMQ's client
   */
  public Connector(
      String name,
      Endpoint endpoint,
      Preparation preparation,
      @Nullable ExecutorService consumers) {
    this.name = name;
    this.endpoint = endpoint;
    this.preparation = preparation;
    this.consumers = consumers;
    factory = endpoint.factory();
    SocketConfigurator configurator = factory.getSocketConfigurator();
    factory.setSocketConfigurator(
        opened -> {
          configurator.configure(opened);
          socket = opened;
        });
  }

  public String name() {
    return name;
  }

  /** Tries once to open and to prepare a connection; throws if that fails. */
  public Connection connectOnce() throws IOException, TimeoutException {
    Connection connection;
    try {
      connection =
          consumers == null
              ? factory.newConnection(endpoint.nodes(), name)
              : factory.newConnection(consumers, endpoint.nodes(), name);
    } catch (Error e) {
      // The client closes the socket after an Exception, but not after an Error.
      breakConnection();
      throw e;
    }
    boolean prepared = false;
    try {
      prepare(connection);
      prepared = true;
      return connection;
    } finally {
      if (!prepared) {
        close(connection);
      }
    }
  }

  /** Prepares an open connection again. */
  void prepare(Connection connection) throws IOException, TimeoutException {
    preparation.prepare(connection);
  }

  /**
   * Opens and prepares a connection, and tries until that succeeds; returns null after {@link
   * #stop}.
   *
   * @param onFailure receives each failure
   */
  public @Nullable Connection connect(Consumer<? super Throwable> onFailure) {
    while (!isStopped()) {
      try {
        Connection connection = connectOnce();
        if (endpoint.outage().connected(this)) {
          log.info("{}: connected to RabbitMQ again", name);
        }
        return connection;
      } catch (IOException | TimeoutException | RuntimeException | Error e) {
        // An error, such as a lack of memory for a thread, may pass.
        onFailure.accept(e);
        failed("can't connect to RabbitMQ", e);
      }
      pause();
    }
    return null;
  }

  /**
   * Serves over this connection, or over a new connection if it is null, until the connection is
   * lost. A failure of the service, for example of its clean-up by a lack of memory, may pass, so
   * it ends only the connection.
   *
   * @param onFailure receives each failure to connect
   */
  public void serve(
      @Nullable Connection prepared, Consumer<? super Throwable> onFailure, Service service)
      throws InterruptedException {
    Connection connection = prepared;
    try {
      connection = connection == null ? connect(onFailure) : connection;
      if (connection != null && service.serve(connection)) {
        worked();
      }
    } catch (RuntimeException | Error e) {
      recover(connection, e);
    }
  }

  /**
   * Waits before the next attempt: longer after more failures, but at most a second. {@link #stop}
   * ends the wait.
   */
  public void pause() {
    try {
      boolean unused =
          stopped.await(backoff.failed(ThreadLocalRandom.current()), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      stop();
    }
  }

  /** Notes that a connection was of use, so that the next pause is short. */
  public void worked() {
    backoff.reset();
  }

  /**
   * Returns whether a thread of the last connection reads from a socket of its own, so that the
   * thread can wait without an effect on writes and other connections.
   */
  public boolean readsOnOwnThread() {
    return socket != null;
  }

  /**
   * Records a failure. Logs it if it starts an outage, or as a reminder, at most once a minute.
   *
   * @param what the failure, for example "can't connect to RabbitMQ"
   */
  public void failed(String what, @Nullable Throwable cause) {
    if (isStopped() || !endpoint.outage().failed(this)) {
      return;
    }
    try {
      log(what, cause);
    } catch (RuntimeException | Error unlogged) {
      // A failure to log, such as a lack of memory, must not end the attempts to connect.
    }
  }

  /** Records the loss of a connection with unconfirmed messages. */
  void lost(int unconfirmed, String queue, @Nullable Throwable cause) {
    failed(
        "the connection to RabbitMQ is lost with "
            + unconfirmed
            + " unconfirmed messages of queue '"
            + queue
            + "'",
        cause);
  }

  /**
   * Closes a connection whose clean-up has failed, and records the failure. Throws nothing: a
   * thread that has no memory even for this goes on.
   */
  private void recover(@Nullable Connection connection, Throwable failure) {
    try {
      if (connection != null) {
        close(connection);
      }
      failed("an unexpected failure", failure);
    } catch (RuntimeException | Error e) {
      // The next connection replaces this one.
    }
  }

  private void log(String what, @Nullable Throwable cause) {
    log.warn(
        "{}: {}: {}. Check that RabbitMQ runs at {}, and that its address is right. The messages"
            + " wait, and the client tries again about every second",
        name,
        what,
        reason(cause),
        endpoint,
        isExpected(cause) ? null : cause);
    log.debug("{}: {}", name, what, cause);
  }

  /** Returns whether the stack trace of a failure would not help to find the cause. */
  private static boolean isExpected(@Nullable Throwable cause) {
    return cause == null
        || cause instanceof IOException
        || cause instanceof TimeoutException
        || cause instanceof PunctualException
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

  /** Ends the attempts to connect. A running outage no longer waits for this connector. */
  public void stop() {
    stopped.countDown();
    boolean unused = endpoint.outage().connected(this);
  }

  /** Sends the buffered data of a connection, and closes it, in about five seconds at most. */
  public void close(Connection connection) {
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
  public void breakConnection() {
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
