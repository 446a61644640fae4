package io.punctual.rabbitmq.internal;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.BlockedListener;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.punctual.internal.runtime.LogThrottle;
import io.punctual.rabbitmq.internal.UnconfirmedException.Kind;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes messages with publisher confirms. If the connection is lost, the publisher opens a new
 * connection. A thread of the publisher writes to the connection, so that no caller waits for a
 * broker that does not read. Many messages are in flight at once.
 *
 * <p>If RabbitMQ closes the channel because of a message, the unconfirmed messages are published
 * again one by one, to find the message at fault. So a bad message fails alone. Before that, and
 * after the return of a message, the connection is prepared again, which declares what is missing.
 *
 * <p>Thread-safe.
 */
public final class ConfirmedPublisher {
  private static final Logger log = LoggerFactory.getLogger(ConfirmedPublisher.class);

  /** The interval at which the thread checks whether the publisher is still needed. */
  private static final Duration CHECK = Duration.ofSeconds(1);

  private final Connector connector;
  private final String queue;
  private final Duration confirmTimeout;
  private final Function<AMQP.BasicProperties, @Nullable String> ids;
  private final Listener listener;
  private final Outbox outbox = new Outbox();
  private final Thread thread;
  private final LogThrottle timeouts = new LogThrottle(1, Duration.ofSeconds(10));
  private @Nullable Connection first;
  private volatile boolean closed;
  private volatile boolean connected;

  /** The current connection; notices of earlier connections are ignored. */
  private volatile @Nullable Connection current;

  private volatile long lastProgressNanos;

  /** The message that the thread writes to the connection. */
  private volatile @Nullable Outgoing writing;

  private volatile long writingSinceNanos;

  /**
   * Receives notices whether messages can be published. Called on several threads; must not block.
   */
  public interface Listener {
    /** RabbitMQ accepts messages. */
    void available();

    /**
     * The connection is lost, or RabbitMQ blocks it.
     *
     * @param blockedFor the reason that RabbitMQ gives, or null if the connection is lost
     */
    void unavailable(@Nullable String blockedFor);

    /** An attempt to connect has failed. */
    default void failed(Throwable cause) {}

    /** Returns whether the publisher is no longer needed. */
    boolean isOver();
  }

  /**
   * Creates a publisher, which does not connect before {@link #start}.
   *
   * @param queue the name of the queue, for logs
   * @param confirmTimeout how long {@link #publish} waits for a confirmation
   * @param ids returns the id of a message from its properties
   */
  public ConfirmedPublisher(
      Connector connector,
      String queue,
      Duration confirmTimeout,
      Function<AMQP.BasicProperties, @Nullable String> ids,
      Listener listener) {
    this.connector = connector;
    this.queue = queue;
    this.confirmTimeout = confirmTimeout;
    this.ids = ids;
    this.listener = listener;
    thread = new Thread(this::run, connector.name());
    thread.setDaemon(true);
  }

  /**
   * Starts the thread.
   *
   * @param prepared a connection of the connector, or null if the thread has to open a connection
   */
  public void start(@Nullable Connection prepared) {
    first = prepared;
    try {
      thread.start();
    } catch (Error noThread) {
      if (prepared != null) {
        connector.close(prepared);
      }
      throw noThread;
    }
  }

  public boolean isConnected() {
    return connected && !outbox.isHeld();
  }

  /** Publishes the message; its future completes within the confirm time-out. Does not block. */
  public void publish(Outgoing message) {
    CompletableFuture<?> unused =
        message
            .confirmed()
            .orTimeout(confirmTimeout.toNanos(), TimeUnit.NANOSECONDS)
            .whenComplete(
                (result, failure) -> {
                  if (failure instanceof TimeoutException) {
                    timedOut(message);
                  }
                });
    outbox.add(message);
    if (closed) {
      Outgoing.failAll(outbox.drain(), null);
    }
  }

  private void timedOut(Outgoing message) {
    outbox.removeEnded();
    boolean silent =
        connected
            && !outbox.isHeld()
            && System.nanoTime() - lastProgressNanos > confirmTimeout.toNanos();
    boolean stuck = isStuckIn(message);
    if (timeouts.tryAcquire()) {
      log.warn(
          "{}: RabbitMQ has not confirmed messages of queue '{}' within {} ({} more){}",
          connector.name(),
          queue,
          confirmTimeout,
          timeouts.takeSkipped(),
          silent || stuck ? ". The broker is silent, so the connection is replaced" : "");
    }
    if (silent || stuck) {
      connector.breakConnection();
    }
  }

  /**
   * Returns whether the broker does not read this message. A write that began a moment ago is not
   * stuck: the message has waited behind others.
   */
  private boolean isStuckIn(Outgoing message) {
    return writing == message
        && System.nanoTime() - writingSinceNanos > confirmTimeout.toNanos() / 2;
  }

  private void run() {
    Connection prepared = first;
    first = null;
    try {
      while (!isOver()) {
        Connection next = prepared;
        prepared = null;
        connector.serve(next, listener::failed, this::serve);
        if (!isOver()) {
          connector.pause();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      closed = true;
      connector.stop();
      if (prepared != null) {
        connector.close(prepared);
      }
      Outgoing.failAll(outbox.drain(), null);
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
    ConfirmedChannel channel = null;
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
        boolean ready = outbox.await(CHECK);
        // After the wait, because a caller can publish as soon as a message has failed.
        if (!channel.isOpen()) {
          connector.prepare(connection);
          channel = isolate(connection, channel);
        } else if (channel.isIncomplete()) {
          connector.prepare(connection);
          channel.complete();
        }
        Outgoing next = ready ? outbox.poll() : null;
        if (next != null) {
          publish(channel, next);
        }
      }
    } catch (IOException | TimeoutException | RuntimeException | Error e) {
      cause = e;
    } finally {
      current = null;
      connected = false;
      try {
        listener.unavailable(null);
      } finally {
        outbox.hold(false);
        end(connection, channel, cause);
      }
    }
    return lastProgressNanos != begin;
  }

  private void end(
      Connection connection, @Nullable ConfirmedChannel channel, @Nullable Throwable cause) {
    Throwable reason = connection.getCloseReason() == null ? cause : connection.getCloseReason();
    List<Outgoing> open = channel == null ? List.of() : channel.unconfirmed();
    try {
      if (!isOver()) {
        connector.lost(open.size(), queue, reason);
      }
    } finally {
      Outgoing.failAll(open, reason);
      connector.close(connection);
    }
  }

  private ConfirmedChannel open(Connection connection) throws IOException {
    return new ConfirmedChannel(
        connection, ids, () -> lastProgressNanos = System.nanoTime(), outbox::wake);
  }

  /** Publishes a message. If the client refuses it, the message fails, and the channel ends. */
  private void publish(ConfirmedChannel channel, Outgoing message) throws IOException {
    writingSinceNanos = System.nanoTime();
    writing = message;
    try {
      channel.publish(message);
    } catch (ShutdownSignalException closed) {
      // The message is among the unconfirmed messages of the closed channel.
    } catch (RuntimeException e) {
      // The channel has counted a message that RabbitMQ will not count, so the channel can't be
      // used again.
      message.fail(new UnconfirmedException(Kind.UNSENDABLE, String.valueOf(e.getMessage()), e));
      channel.abort();
    } catch (Error e) {
      message.fail(new UnconfirmedException(Kind.UNSENDABLE, String.valueOf(e.getMessage()), e));
      throw e;
    } finally {
      writing = null;
    }
  }

  /**
   * Publishes the unconfirmed messages of a closed channel again, one by one, and fails each
   * message for which RabbitMQ closes the channel again. If RabbitMQ closed the channel with a
   * single unconfirmed message, fails this message without publishing it again. Returns an open
   * channel.
   */
  private ConfirmedChannel isolate(Connection connection, ConfirmedChannel broken)
      throws IOException, InterruptedException {
    List<Outgoing> suspects = broken.unconfirmed();
    ShutdownSignalException cause = broken.closed().getNow(null);
    boolean byBroker = cause != null && !cause.isInitiatedByApplication() && !cause.isHardError();
    // A message that was given up may be at fault, too.
    if (byBroker && suspects.size() == 1 && broken.hasOneUnconfirmed()) {
      suspects.get(0).fail(UnconfirmedException.refusal(cause));
      return open(connection);
    }
    ConfirmedChannel channel = open(connection);
    for (Outgoing suspect : suspects) {
      if (suspect.confirmed().isDone()) {
        continue;
      }
      channel = channel.isOpen() ? channel : open(connection);
      publish(channel, suspect);
      awaitEnd(channel, suspect);
      if (!channel.isOpen() && connection.isOpen()) {
        suspect.fail(UnconfirmedException.refusal(channel.closed().getNow(null)));
      }
    }
    return channel.isOpen() ? channel : open(connection);
  }

  private static void awaitEnd(ConfirmedChannel channel, Outgoing suspect)
      throws InterruptedException {
    try {
      // The confirm time-out of the message ends this wait.
      Object unused = CompletableFuture.anyOf(suspect.confirmed(), channel.closed()).get();
    } catch (ExecutionException failed) {
      // The message has reported the failure already.
    }
  }

  /**
   * Fails the messages in flight, closes the connection, and waits until it is closed, but at most
   * about three seconds.
   */
  public void close() {
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
      listener.unavailable(reason);
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
