package io.punctual.rabbitmq.delay;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.punctual.ClientBusyException;
import io.punctual.OutcomeUnknownException;
import io.punctual.PunctualException;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.rabbitmq.internal.ConfirmedPublisher;
import io.punctual.rabbitmq.internal.Connector;
import io.punctual.rabbitmq.internal.Outgoing;
import io.punctual.rabbitmq.internal.UnconfirmedException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Publishes messages on a single connection: bounds the messages in flight, waits for the broker,
 * and tells callers whether a message may have been stored. Safe for use by many threads.
 */
final class Publisher {
  /** The largest number of messages without a confirmation. */
  static final int IN_FLIGHT = 1_000;

  private final Connector connector;
  private final Waits waits;
  private final Duration timeout;
  private final Semaphore inFlight = new Semaphore(IN_FLIGHT);
  private final Gate gate = new Gate();
  private final ConfirmedPublisher publisher;

  Publisher(Connector connector, String queue, Waits waits, Duration timeout) {
    this.connector = connector;
    this.waits = waits;
    this.timeout = timeout;
    publisher =
        new ConfirmedPublisher(connector, queue, timeout, BasicProperties::getMessageId, gate);
  }

  /** Connects and declares the topology, without further attempts. */
  void connect() {
    publisher.start(Connections.open(connector));
  }

  /** Sends a message, waits for the confirmation, and returns the message's id. */
  String publish(DelayedMessage message) {
    try {
      return send(message).get();
    } catch (ExecutionException e) {
      throw rethrown(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new OutcomeUnknownException(
          "The thread was interrupted before RabbitMQ confirmed message '"
              + message.id()
              + "', so the message may have been stored or not",
          message.id(),
          e);
    }
  }

  /**
   * Returns an exception of the same type with the stack trace of the caller if the outcome is
   * unknown or the broker has refused the message; otherwise returns the exception itself.
   */
  private static RuntimeException rethrown(@Nullable Throwable cause) {
    if (cause instanceof Error error) {
      throw error;
    }
    String text = cause == null ? "" : String.valueOf(cause.getMessage());
    if (cause instanceof OutcomeUnknownException e) {
      return new OutcomeUnknownException(text, e.id().orElse(null), e);
    }
    if (cause instanceof StoreRefusedException) {
      return new StoreRefusedException(text, cause);
    }
    return cause instanceof RuntimeException e ? e : new IllegalStateException(cause);
  }

  /**
   * Sends a message. Waits for a connection, for room among the messages in flight, and for the
   * broker to take messages, up to the time-out. The future fails if the confirmation does not
   * arrive within the time-out after that.
   */
  CompletableFuture<String> send(DelayedMessage message) {
    long deadline = System.nanoTime() + timeout.toNanos();
    boolean acquired = false;
    try {
      acquired = inFlight.tryAcquire(timeout.toNanos(), TimeUnit.NANOSECONDS);
      if (!acquired) {
        throw new ClientBusyException(
            IN_FLIGHT
                + " messages for queue '"
                + message.queue()
                + "' wait for RabbitMQ's confirmation; publish fewer at once");
      }
      gate.awaitOpen(message.id(), deadline);
      CompletableFuture<String> result = publishNow(message);
      acquired = false;
      return result;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreUnavailableException(
          "The thread was interrupted before it sent message '" + message.id() + "'", e);
    } finally {
      if (acquired) {
        inFlight.release();
      }
    }
  }

  private CompletableFuture<String> publishNow(DelayedMessage message) {
    Outgoing outgoing =
        new Outgoing(
            message.id(), () -> route(message), message.properties(), message.body(), true);
    CompletableFuture<String> result = new CompletableFuture<>();
    CompletableFuture<?> unused =
        outgoing
            .confirmed()
            .whenComplete(
                (confirmed, failure) -> {
                  inFlight.release();
                  if (failure == null) {
                    result.complete(message.id());
                  } else {
                    result.completeExceptionally(failure(message, outgoing, failure));
                  }
                });
    publisher.publish(outgoing);
    return result;
  }

  private Outgoing.Route route(DelayedMessage message) {
    long nanos = message.dueNanos() - System.nanoTime();
    return nanos <= 0
        ? new Outgoing.Route("", message.queue())
        : waits.firstHop(message.queue(), nanos);
  }

  private Throwable failure(DelayedMessage message, Outgoing outgoing, Throwable failure) {
    if (!(failure instanceof UnconfirmedException reason)) {
      return ended(message, outgoing, failure);
    }
    return switch (reason.kind()) {
      case UNSENDABLE -> reason.getCause() == null ? reason : reason.getCause();
      case RETURNED ->
          refused(
              message,
              reason,
              "RabbitMQ returned it, because a queue or a binding is missing. The next publish"
                  + " declares them again; publish the message again");
      case REFUSED ->
          refused(
              message,
              reason,
              reason.reason()
                  + ". A queue on the way is full, by a policy with a length limit, or failed; see"
                  + " the broker's log");
      case AWAY -> ended(message, outgoing, failure);
    };
  }

  /** Returns the failure of a message that says nothing about the message itself. */
  private PunctualException ended(DelayedMessage message, Outgoing outgoing, Throwable failure) {
    return outgoing.wasSent() ? unknown(message, failure) : gate.notSent(message.id());
  }

  private static StoreRefusedException refused(
      DelayedMessage message, UnconfirmedException cause, String reason) {
    return new StoreRefusedException(describe(message) + " was not stored: " + reason, cause);
  }

  private OutcomeUnknownException unknown(DelayedMessage message, Throwable failure) {
    String blockedFor = gate.blockedFor();
    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
    return new OutcomeUnknownException(
        "RabbitMQ did not confirm "
            + describe(message)
            + (failure instanceof UnconfirmedException
                ? ": the connection was lost: " + Failures.describe(cause)
                : " within " + timeout)
            + (blockedFor == null ? "" : "; it blocks publishers: " + blockedFor)
            + ". The message may have been stored or not",
        message.id(),
        failure);
  }

  private static String describe(DelayedMessage message) {
    return "Message '" + message.id() + "' for queue '" + message.queue() + "'";
  }

  /**
   * Waits until the broker has confirmed the messages that were sent, up to the grace period, and
   * closes the connection. Later messages are refused.
   */
  void close(Duration grace) {
    gate.close();
    try {
      long nanos = gate.isConnected() ? grace.toNanos() : 0;
      if (inFlight.tryAcquire(IN_FLIGHT, nanos, TimeUnit.NANOSECONDS)) {
        inFlight.release(IN_FLIGHT);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    publisher.close();
  }
}
