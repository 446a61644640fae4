package io.punctual.rabbitmq.delay;

import io.punctual.ClientBusyException;
import io.punctual.ClientClosedException;
import io.punctual.OutcomeUnknownException;
import io.punctual.PunctualException;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Publishes messages on a single connection, and opens a new connection after a failure. Safe for
 * use by many threads.
 */
final class Publisher {
  /** The largest number of messages without a confirmation. */
  static final int IN_FLIGHT = 1_000;

  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Connections connections;
  private final Topology topology;
  private final Waits waits;
  private final String name;
  private final Duration timeout;
  private final Semaphore inFlight = new Semaphore(IN_FLIGHT);
  private final Gate gate = new Gate();

  /** Guards the channel and its sequence numbers. */
  private final ReentrantLock lock = new ReentrantLock();

  private volatile @Nullable ConfirmedChannel channel;

  Publisher(
      Connections connections, Topology topology, Waits waits, String name, Duration timeout) {
    this.connections = connections;
    this.topology = topology;
    this.waits = waits;
    this.name = name;
    this.timeout = timeout;
  }

  /** Connects and declares the topology, without further attempts. */
  void connect() {
    lock.lock();
    try {
      channel = newChannel();
    } finally {
      lock.unlock();
    }
  }

  /** Returns the number of messages that wait for a confirmation on the current channel. */
  int unconfirmed() {
    ConfirmedChannel current = channel;
    return current == null ? 0 : current.unconfirmed();
  }

  /** Sends a message, waits for the confirmation, and returns the message's id. */
  String publish(Outgoing message) {
    try {
      return send(message).get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof PunctualException cause) {
        throw rethrown(cause);
      }
      throw new IllegalStateException(e.getCause());
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
  private static PunctualException rethrown(PunctualException cause) {
    String text = String.valueOf(cause.getMessage());
    if (cause instanceof OutcomeUnknownException e) {
      return new OutcomeUnknownException(text, e.id().orElse(null), e);
    }
    return cause instanceof StoreRefusedException ? new StoreRefusedException(text, cause) : cause;
  }

  /**
   * Sends a message. Waits for a connection, for room among the messages in flight, and for the
   * broker to take messages, up to the time-out. The future fails if the confirmation does not
   * arrive within the time-out after the send.
   */
  CompletableFuture<String> send(Outgoing message) {
    long deadline = System.nanoTime() + timeout.toNanos();
    try {
      if (!inFlight.tryAcquire(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        throw new ClientBusyException(
            IN_FLIGHT
                + " messages for queue '"
                + message.queue()
                + "' wait for RabbitMQ's confirmation; publish fewer at once");
      }
    } catch (InterruptedException e) {
      throw interrupted(message, e);
    }
    boolean sent = false;
    try {
      CompletableFuture<String> answer = sendBefore(deadline, message);
      sent = true;
      return limited(message, answer);
    } catch (InterruptedException e) {
      throw interrupted(message, e);
    } finally {
      if (!sent) {
        inFlight.release();
      }
    }
  }

  private static StoreUnavailableException interrupted(Outgoing message, InterruptedException e) {
    Thread.currentThread().interrupt();
    return new StoreUnavailableException(
        "The thread was interrupted before it sent message '" + message.id() + "'", e);
  }

  private CompletableFuture<String> limited(Outgoing message, CompletableFuture<String> answer) {
    CompletableFuture<String> result = new CompletableFuture<>();
    CompletableFuture<String> unused =
        answer.whenComplete(
            (id, failure) -> {
              inFlight.release();
              if (failure == null) {
                result.complete(id);
              } else {
                result.completeExceptionally(
                    failure instanceof TimeoutException ? unconfirmed(message) : failure);
              }
            });
    return result;
  }

  private OutcomeUnknownException unconfirmed(Outgoing message) {
    String reason = gate.blockedFor();
    return new OutcomeUnknownException(
        "RabbitMQ did not confirm message '"
            + message.id()
            + "' for queue '"
            + message.queue()
            + "' within "
            + timeout
            + (reason == null ? "" : "; it blocks publishers: " + reason)
            + ". The message may have been stored or not",
        message.id(),
        null);
  }

  private CompletableFuture<String> sendBefore(long deadline, Outgoing message)
      throws InterruptedException {
    long pause = FIRST_PAUSE_NANOS;
    while (true) {
      if (!gate.awaitOpen(deadline)) {
        throw new StoreUnavailableException(
            "RabbitMQ blocks publishers: "
                + gate.blockedFor()
                + ". Message '"
                + message.id()
                + "' was not sent; free the resource of the broker",
            null);
      }
      try {
        CompletableFuture<String> answer = sendNow(deadline, message);
        if (answer != null) {
          return answer;
        }
      } catch (StoreUnavailableException e) {
        if (deadline - System.nanoTime() <= pause) {
          throw e;
        }
        gate.pause(pause);
        pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
      }
    }
  }

  /** Sends a message if the broker takes messages; returns null to try again. */
  private @Nullable CompletableFuture<String> sendNow(long deadline, Outgoing message)
      throws InterruptedException {
    if (!lock.tryLock(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
      throw new StoreUnavailableException(
          "Message '"
              + message.id()
              + "' was not sent within "
              + timeout
              + ", because RabbitMQ does not read, or can't be reached",
          null);
    }
    try {
      if (gate.isClosed()) {
        throw new ClientClosedException(
            "The delay queue is closed; message '" + message.id() + "' was not sent");
      }
      ConfirmedChannel open = usable();
      return gate.blockedFor() == null ? open.send(message) : null;
    } finally {
      lock.unlock();
    }
  }

  private ConfirmedChannel usable() {
    ConfirmedChannel current = channel;
    if (current != null && current.isUsable()) {
      current.complete(topology);
      return current;
    }
    if (current != null) {
      current.close();
      channel = null;
    }
    current = newChannel();
    channel = current;
    if (gate.isClosed()) {
      // A close that started during the connect may have missed the new channel.
      current.close();
    }
    return current;
  }

  private ConfirmedChannel newChannel() {
    Connections.Opened opened = connections.open(name);
    try {
      return new ConfirmedChannel(opened, waits, gate, timeout);
    } catch (IOException | RuntimeException e) {
      Connections.close(opened.connection());
      throw Failures.of("Opening a channel to RabbitMQ", e);
    } catch (Error e) {
      Connections.close(opened.connection());
      throw e;
    }
  }

  /**
   * Waits until the broker has confirmed the messages that were sent, up to the grace period, and
   * closes the connection. Later messages are refused.
   */
  void close(Duration grace) {
    gate.close();
    try {
      if (inFlight.tryAcquire(IN_FLIGHT, grace.toNanos(), TimeUnit.NANOSECONDS)) {
        inFlight.release(IN_FLIGHT);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    // Reads the channel without the lock, because a thread that writes to a blocked connection may
    // hold the lock.
    ConfirmedChannel last = channel;
    if (last != null) {
      last.close();
    }
  }
}
