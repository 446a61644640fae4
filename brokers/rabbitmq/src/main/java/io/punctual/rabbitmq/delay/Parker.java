package io.punctual.rabbitmq.delay;

import com.rabbitmq.client.amqp.AmqpException;
import com.rabbitmq.client.amqp.Connection;
import com.rabbitmq.client.amqp.Consumer;
import com.rabbitmq.client.amqp.Message;
import com.rabbitmq.client.amqp.Resource;
import io.punctual.PunctualException;
import java.time.Clock;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Consumes the {@link ParkingQueue} of a delay queue. If a message is new or not due yet, the
 * parker returns it to the broker together with the due time, and the broker does not deliver the
 * message before this time. Otherwise the parker rejects the message, so that the broker moves it
 * to the delay queue. The parkers of all clients share the messages. Safe for use by many threads.
 */
final class Parker implements AutoCloseable {
  private static final String DELIVERY_TIME = "x-opt-delivery-time";
  private static final int CREDITS = 1_000;
  private static final long PAUSE_MILLIS = 1_000;
  private static final long LONGEST_HOLD_MILLIS = 1_000;

  private final Amqp10 connections;
  private final String queue;
  private final String name;
  private final Clock clock;
  private final DelayLog log;
  private final ScheduledExecutorService handlers;
  private final CountDownLatch closed = new CountDownLatch(1);
  private @Nullable Connection first;
  private volatile @Nullable Session current;

  /** A connection with a consumer, and a latch that opens when the consumer has ended. */
  private record Session(Connection connection, Consumer consumer, CountDownLatch ended) {
    void close() {
      try {
        // Closes the consumer first, because the library logs a warning if a connection closes its
        // consumer.
        consumer.close();
        connection.close();
      } catch (RuntimeException alreadyClosed) {
        // The broker delivers unsettled messages again.
      }
    }
  }

  /** Connects, without consuming; see {@link #start}. */
  static Parker connect(RabbitDelayQueueBuilder<?> builder, DelayLog log) {
    String queue = builder.name();
    ScheduledExecutorService handlers =
        Executors.newSingleThreadScheduledExecutor(
            task -> daemon(task, "punctual-" + queue + "-parker"));
    Amqp10 connections =
        new Amqp10(
            builder.factory(),
            builder.addresses(),
            builder.factory().isSSL() ? builder.sslContext() : null,
            handlers);
    Parker parker = new Parker(connections, queue, builder.clock(), handlers, log);
    try {
      parker.first = connections.open(parker.name);
      return parker;
    } catch (RuntimeException e) {
      parker.close();
      throw e;
    }
  }

  private Parker(
      Amqp10 connections,
      String queue,
      Clock clock,
      ScheduledExecutorService handlers,
      DelayLog log) {
    this.connections = connections;
    this.queue = queue;
    this.clock = clock;
    this.name = "punctual " + queue + " parker";
    this.handlers = handlers;
    this.log = log;
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Starts to consume the queue, which must exist.
   *
   * @throws PunctualException if the broker refuses the consumer or can't be reached
   */
  void start() {
    Connection connection = first == null ? connections.open(name) : first;
    first = null;
    current = consume(connection);
    daemon(this::keepConsuming, "punctual-" + queue + "-parking").start();
  }

  /** Starts the consumer of a connection; closes the connection if that fails. */
  private Session consume(Connection connection) {
    CountDownLatch ended = new CountDownLatch(1);
    try {
      Consumer consumer =
          connection
              .consumerBuilder()
              .queue(ParkingQueue.name(queue))
              .initialCredits(CREDITS)
              .messageHandler(this::received)
              .listeners(
                  change -> {
                    if (change.currentState() == Resource.State.CLOSED) {
                      ended.countDown();
                    }
                  })
              .build();
      return new Session(connection, consumer, ended);
    } catch (AmqpException e) {
      connection.close();
      throw Amqp10.failed("Consuming queue '" + ParkingQueue.name(queue) + "'", e);
    } catch (RuntimeException | Error e) {
      connection.close();
      throw e;
    }
  }

  /** Starts the consumer again whenever it ends, until the close. */
  private void keepConsuming() {
    try {
      while (!isClosed()) {
        Session session = current;
        if (session != null) {
          session.ended.await();
          session.close();
          if (!isClosed()) {
            log.parkerEnded();
          }
        }
        current = reopen();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    closeSession();
  }

  /**
   * Returns a new consumer, or null if the parker is closed. If the start of the consumer fails,
   * pauses and returns null.
   */
  private @Nullable Session reopen() throws InterruptedException {
    if (isClosed()) {
      return null;
    }
    try {
      return consume(connections.open(name));
    } catch (RuntimeException | Error e) {
      // An error, such as a lack of memory for a thread, may pass.
      log.notParking(e);
      boolean unused = closed.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
      return null;
    }
  }

  private boolean isClosed() {
    return closed.getCount() == 0;
  }

  private void closeSession() {
    Session session = current;
    if (session != null) {
      session.close();
    }
  }

  /**
   * Receives a message. Never throws, because the library would then reject the message, and the
   * broker would move it to the delay queue too early.
   */
  private void received(Consumer.Context context, Message message) {
    long due = number(message, Headers.DUE_AT);
    long left = millisLeft(due);
    if (left > 0 && message.hasAnnotation(DELIVERY_TIME)) {
      hold(context, message, Math.min(left, LONGEST_HOLD_MILLIS));
    } else {
      settle(context, message);
    }
  }

  /**
   * Returns how long a message still has to wait. The publisher has cut the due time to
   * milliseconds, so this method adds a millisecond; otherwise the message could be early. A
   * message that a different program published has no due time, and is due at once.
   */
  private long millisLeft(long due) {
    return due + 1 - clock.millis();
  }

  private static long number(Message message, String annotation) {
    return message.hasAnnotation(annotation)
            && message.annotation(annotation) instanceof Number number
        ? number.longValue()
        : 0;
  }

  /**
   * Keeps a message for a while that the broker has delivered before its time. This happens if the
   * broker's clock is ahead of this machine's clock, or if the cluster has a node before 4.3, which
   * does not know delivery times. Without the wait, the message would go back and forth without a
   * pause.
   */
  private void hold(Consumer.Context context, Message message, long millis) {
    try {
      var unused = handlers.schedule(() -> settle(context, message), millis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException closing) {
      // The broker delivers the message again.
    }
  }

  /** Returns the message to the broker, or moves it to the delay queue. */
  private void settle(Consumer.Context context, Message message) {
    try {
      long due = number(message, Headers.DUE_AT);
      // A new message with a due time is returned to the broker even if it is due by this machine's
      // clock, so that the broker's clock decides.
      boolean isNew = due > 0 && !message.hasAnnotation(DELIVERY_TIME);
      if (isNew || millisLeft(due) > 0) {
        context.delayedRetry(Instant.ofEpochMilli(due + 1));
      } else {
        // The broker counts this rejection as a delivery, and continues the count in the delay
        // queue.
        long deliveries = number(message, Headers.DELIVERY_COUNT) + 1;
        context.discard(Map.of(Headers.PARKED_DELIVERIES, deliveries));
      }
    } catch (RuntimeException e) {
      // The connection broke, and the broker delivers the message again.
      log.notParked(e);
    }
  }

  /** Stops consuming. The broker delivers the unsettled messages of this parker again. */
  @Override
  public void close() {
    closed.countDown();
    closeSession();
    connections.close();
    handlers.shutdownNow();
  }
}
