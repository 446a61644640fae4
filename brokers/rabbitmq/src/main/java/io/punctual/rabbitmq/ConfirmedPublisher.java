package io.punctual.rabbitmq;

import com.rabbitmq.client.BlockedListener;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.punctual.internal.runtime.LogThrottle;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes messages with publisher confirms. If the connection is lost, the publisher opens a new
 * connection. A thread of the publisher writes to the connection, so that no caller waits for a
 * broker that does not read. Many messages are in flight at once.
 *
 * <p>If RabbitMQ closes the channel because of a message, the unconfirmed messages are published
 * again one by one, to find the message at fault. So a bad message fails alone.
 *
 * <p>Thread-safe.
 */
final class ConfirmedPublisher {
  private static final Logger log = LoggerFactory.getLogger(ConfirmedPublisher.class);

  /** The interval at which the thread checks whether the publisher is still needed. */
  private static final Duration CHECK = Duration.ofSeconds(1);

  private final Connector connector;
  private final String queue;
  private final Duration confirmTimeout;
  private final Listener listener;
  private final Outbox outbox = new Outbox();
  private final Thread thread;
  private final LogThrottle timeouts = new LogThrottle(1, Duration.ofSeconds(10));
  private volatile boolean closed;
  private volatile boolean connected;

  /** The current connection; notices of earlier connections are ignored. */
  private volatile @Nullable Connection current;

  private volatile long lastProgressNanos;

  /**
   * Receives notices whether messages can be published. Called on several threads; must not block.
   */
  interface Listener {
    /** RabbitMQ accepts messages. */
    void available();

    /** The connection is lost, or RabbitMQ blocks it. */
    void unavailable();

    /** Returns whether the publisher is no longer needed. */
    boolean isOver();
  }

  /**
   * Creates a publisher, which does not connect before {@link #start}.
   *
   * @param queue the name of the Punctual queue, for logs and failures
   * @param confirmTimeout how long {@link #publish} waits for a confirmation
   */
  ConfirmedPublisher(
      Connector connector, String queue, Duration confirmTimeout, Listener listener) {
    this.connector = connector;
    this.queue = queue;
    this.confirmTimeout = confirmTimeout;
    this.listener = listener;
    thread = new Thread(this::run, connector.name());
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  boolean isConnected() {
    return connected && !outbox.isHeld();
  }

  /** Publishes the message; its future completes within the confirm time-out. Does not block. */
  void publish(Outgoing message) {
    CompletableFuture<?> unused =
        message
            .confirmed()
            .orTimeout(confirmTimeout.toNanos(), TimeUnit.NANOSECONDS)
            .whenComplete(
                (result, failure) -> {
                  if (failure instanceof TimeoutException) {
                    timedOut();
                  }
                });
    outbox.add(message);
    if (closed) {
      failAll(outbox.drain(), null);
    }
  }

  private void timedOut() {
    outbox.removeEnded();
    boolean silent =
        connected
            && !outbox.isHeld()
            && System.nanoTime() - lastProgressNanos > confirmTimeout.toNanos();
    if (timeouts.tryAcquire()) {
      log.warn(
          "{}: RabbitMQ has not confirmed messages of queue '{}' within {} ({} more); they go back"
              + " to the queue{}",
          connector.name(),
          queue,
          confirmTimeout,
          timeouts.takeSkipped(),
          silent ? ". The broker is silent, so the connection is replaced" : "");
    }
    if (silent) {
      connector.breakConnection();
    }
  }

  private void run() {
    try {
      for (int failures = 0; !isOver(); failures++) {
        Connection connection = connector.connect();
        if (connection != null && serve(connection)) {
          failures = 0;
        }
        if (!isOver()) {
          connector.pause(failures);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      closed = true;
      connector.stop();
      failAll(outbox.drain(), null);
    }
  }

  private boolean isOver() {
    return closed || connector.isStopped() || listener.isOver();
  }

  /**
   * Publishes over this connection until it is lost or the publisher ends. Returns whether RabbitMQ
   * has confirmed or refused a message.
   */
  private boolean serve(Connection connection) throws InterruptedException {
    long begin = System.nanoTime();
    lastProgressNanos = begin;
    PublishingChannel channel = null;
    Throwable cause = null;
    try {
      current = connection;
      connection.addShutdownListener(signal -> outbox.wake());
      connection.addBlockedListener(new Blocking(connection));
      outbox.hold(false);
      channel = open(connection);
      connected = true;
      listener.available();
      while (connection.isOpen() && !isOver()) {
        channel = channel.isOpen() ? channel : isolate(connection, channel);
        publishNext(channel);
      }
    } catch (IOException | RuntimeException | Error e) {
      cause = e;
    } finally {
      current = null;
      connected = false;
      listener.unavailable();
      outbox.hold(false);
      end(connection, channel, cause);
    }
    return lastProgressNanos != begin;
  }

  private void end(
      Connection connection, @Nullable PublishingChannel channel, @Nullable Throwable cause) {
    Throwable reason = connection.getCloseReason() == null ? cause : connection.getCloseReason();
    List<Outgoing> open = channel == null ? List.of() : channel.unconfirmed();
    if (!isOver()) {
      connector.failed(
          "the connection to RabbitMQ is lost, and "
              + open.size()
              + " unconfirmed messages go back to queue '"
              + queue
              + "'",
          reason);
    }
    failAll(open, reason);
    connector.close(connection);
  }

  private PublishingChannel open(Connection connection) throws IOException {
    return new PublishingChannel(
        connection, queue, () -> lastProgressNanos = System.nanoTime(), outbox::wake);
  }

  private void publishNext(PublishingChannel channel) throws IOException, InterruptedException {
    Outgoing next = outbox.next(CHECK);
    if (next != null && !next.confirmed().isDone()) {
      publish(channel, next);
    }
  }

  /** Publishes a message. If the client refuses it, the message fails, and the channel ends. */
  private static void publish(PublishingChannel channel, Outgoing message) throws IOException {
    try {
      channel.publish(message);
    } catch (ShutdownSignalException closed) {
      // The message is among the unconfirmed messages of the closed channel.
    } catch (RuntimeException e) {
      // The channel has counted a message that RabbitMQ will not count, so the channel can't be
      // used again.
      message.fail(channel.refusal(message, e));
      channel.abort();
    }
  }

  /**
   * Publishes the unconfirmed messages of a closed channel again, one by one, and fails each
   * message for which RabbitMQ closes the channel again. If RabbitMQ closed the channel with a
   * single unconfirmed message, fails this message without publishing it again. Returns an open
   * channel.
   */
  private PublishingChannel isolate(Connection connection, PublishingChannel broken)
      throws IOException, InterruptedException {
    List<Outgoing> suspects = broken.unconfirmed();
    ShutdownSignalException cause = broken.closed().getNow(null);
    boolean byBroker = cause != null && !cause.isInitiatedByApplication() && !cause.isHardError();
    // A message that was given up may be at fault, too.
    if (byBroker && suspects.size() == 1 && broken.hasOneUnconfirmed()) {
      suspects.get(0).fail(broken.refusal(suspects.get(0), cause));
      return open(connection);
    }
    PublishingChannel channel = open(connection);
    for (Outgoing suspect : suspects) {
      if (suspect.confirmed().isDone()) {
        continue;
      }
      channel = channel.isOpen() ? channel : open(connection);
      publish(channel, suspect);
      awaitEnd(channel, suspect);
      if (!channel.isOpen() && connection.isOpen()) {
        suspect.fail(channel.refusal(suspect, channel.closed().getNow(null)));
      }
    }
    return channel.isOpen() ? channel : open(connection);
  }

  private static void awaitEnd(PublishingChannel channel, Outgoing suspect)
      throws InterruptedException {
    try {
      // The confirm time-out of the message ends this wait.
      Object unused = CompletableFuture.anyOf(suspect.confirmed(), channel.closed()).get();
    } catch (ExecutionException failed) {
      // The message has reported the failure already.
    }
  }

  private void failAll(List<Outgoing> messages, @Nullable Throwable reason) {
    if (!messages.isEmpty()) {
      BrokerAwayException failure =
          new BrokerAwayException("The connection to RabbitMQ is lost", reason);
      messages.forEach(each -> each.fail(failure));
    }
  }

  /**
   * Fails the messages in flight, closes the connection, and waits until it is closed, but at most
   * about three seconds.
   */
  void close() {
    closed = true;
    connector.stop();
    outbox.wake();
    try {
      thread.join(1_500);
      if (thread.isAlive()) {
        connector.breakConnection();
        thread.join(1_000);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Holds the messages back while RabbitMQ has an alarm. */
  private final class Blocking implements BlockedListener {
    private final Connection connection;

    Blocking(Connection connection) {
      this.connection = connection;
    }

    @Override
    public void handleBlocked(String reason) {
      if (current != connection) {
        return;
      }
      outbox.hold(true);
      listener.unavailable();
      log.warn(
          "{}: RabbitMQ blocks the connection ({}); the messages of queue '{}' wait",
          connector.name(),
          reason,
          queue);
    }

    @Override
    public void handleUnblocked() {
      if (current != connection) {
        return;
      }
      outbox.hold(false);
      listener.available();
      log.info("{}: RabbitMQ no longer blocks the connection", connector.name());
    }
  }
}
