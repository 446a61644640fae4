package io.punctual.rabbitmq.delay;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.punctual.OutcomeUnknownException;
import io.punctual.StoreRefusedException;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A channel with publisher confirms, on a connection of its own. One thread at a time may send; the
 * broker's confirmations arrive on the thread that reads from the connection.
 */
final class ConfirmedChannel {
  private static final long NONE = 0;

  private final Connections.Opened opened;
  private final Connection connection;
  private final Channel channel;
  private final Waits waits;
  private final Duration timeout;
  private final ConcurrentNavigableMap<Long, Unconfirmed> unconfirmed =
      new ConcurrentSkipListMap<>();

  /** The ids of messages that the broker returned and has not confirmed yet. */
  private final Set<String> returned = ConcurrentHashMap.newKeySet();

  /** Whether a message was returned, so that the topology must be declared again. */
  private volatile boolean incomplete;

  /** Whether the client's sequence numbers may differ from the broker's. */
  private volatile boolean broken;

  /** The number of the message that a thread writes to the connection, or {@link #NONE}. */
  private volatile long writing = NONE;

  private record Unconfirmed(String id, String queue, CompletableFuture<String> answer) {}

  /**
   * Opens a channel.
   *
   * @param timeout how long the write and the confirmation of a message may take together
   */
  ConfirmedChannel(Connections.Opened opened, Waits waits, Gate gate, Duration timeout)
      throws IOException {
    this.opened = opened;
    this.connection = opened.connection();
    this.waits = waits;
    this.timeout = timeout;
    this.channel =
        connection.openChannel().orElseThrow(() -> new IOException("No channel is free"));
    gate.reset();
    connection.addBlockedListener(
        reason -> gate.block(connection, reason), () -> gate.unblock(connection));
    connection.addShutdownListener(signal -> gate.unblock(connection));
    channel.addReturnListener(message -> returned.add(message.getProperties().getMessageId()));
    channel.addConfirmListener(
        (number, multiple) -> confirmed(number, multiple, this::accept),
        (number, multiple) -> confirmed(number, multiple, ConfirmedChannel::reject));
    channel.addShutdownListener(this::ended);
    channel.confirmSelect();
  }

  /** Returns whether the next message may be sent on this channel. */
  boolean isUsable() {
    return channel.isOpen() && !broken;
  }

  /** Declares the topology again if a message was returned. */
  void complete(Topology topology) {
    if (incomplete) {
      topology.declare(connection);
      incomplete = false;
    }
  }

  /**
   * Sends a message. If the broker does not read, the write ends at the time-out, and the
   * connection is lost.
   *
   * @return a future that completes with the message's id when the broker has confirmed the
   *     message, or fails, for example with a {@link TimeoutException}; null if the channel was
   *     closed before the message was sent
   */
  @Nullable CompletableFuture<String> send(Outgoing message) {
    CompletableFuture<String> answer = new CompletableFuture<>();
    long number = channel.getNextPublishSeqNo();
    unconfirmed.put(number, new Unconfirmed(message.id(), message.queue(), answer));
    // Set before the time-out starts, so that a time-out at any moment ends a blocked write.
    writing = number;
    try {
      CompletableFuture<String> unusedAnswer =
          answer
              .orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
              .whenComplete((id, failure) -> ended(number, failure));
      Waits.Hop hop = firstHop(message);
      channel.basicPublish(
          hop.exchange(), hop.routingKey(), true, message.properties(), message.body());
    } catch (AlreadyClosedException e) {
      return notSent(number, answer) ? null : answer;
    } catch (IOException e) {
      unconfirmed.remove(number);
      answer.completeExceptionally(unknown(message.id(), message.queue(), e));
    } catch (RuntimeException | Error e) {
      // The client library may have counted the message and then failed to encode it. So its
      // numbers may no longer match the broker's numbers.
      broken = true;
      boolean unused = notSent(number, answer);
      throw e;
    } finally {
      writing = NONE;
    }
    return answer;
  }

  /** Forgets a message, unless it has ended already; returns whether it had not ended. */
  private boolean notSent(long number, CompletableFuture<String> answer) {
    boolean open = unconfirmed.remove(number) != null;
    if (open) {
      boolean unused = answer.cancel(false);
    }
    return open;
  }

  /**
   * Forgets a message that has ended, because the broker may never confirm it. If its write is
   * still blocked at the time-out, ends the write.
   */
  private void ended(long number, @Nullable Throwable failure) {
    Unconfirmed unused = unconfirmed.remove(number);
    if (failure instanceof TimeoutException && writing == number) {
      opened.breakSocket();
    }
  }

  private Waits.Hop firstHop(Outgoing message) {
    long nanos = message.dueNanos() - System.nanoTime();
    return nanos <= 0 ? new Waits.Hop("", message.queue()) : waits.firstHop(message.queue(), nanos);
  }

  private void confirmed(long number, boolean multiple, Consumer<Unconfirmed> outcome) {
    if (multiple) {
      Map<Long, Unconfirmed> all = unconfirmed.headMap(number, true);
      all.values().forEach(outcome);
      all.clear();
      return;
    }
    Unconfirmed one = unconfirmed.remove(number);
    if (one != null) {
      outcome.accept(one);
    }
  }

  private void accept(Unconfirmed message) {
    if (!returned.remove(message.id)) {
      message.answer.complete(message.id);
      return;
    }
    incomplete = true;
    message.answer.completeExceptionally(
        new StoreRefusedException(
            "RabbitMQ returned message '"
                + message.id
                + "' for queue '"
                + message.queue
                + "', because a queue or a binding is missing. The next publish declares them"
                + " again; publish the message again",
            null));
  }

  private static void reject(Unconfirmed message) {
    message.answer.completeExceptionally(
        new StoreRefusedException(
            "RabbitMQ did not accept message '"
                + message.id
                + "' for queue '"
                + message.queue
                + "'. A queue on the way is full, by a policy with a length limit, or failed; see"
                + " the broker's log",
            null));
  }

  private void ended(ShutdownSignalException signal) {
    for (long number : unconfirmed.keySet()) {
      Unconfirmed message = unconfirmed.remove(number);
      if (message != null) {
        message.answer.completeExceptionally(unknown(message.id, message.queue, signal));
      }
    }
  }

  private static OutcomeUnknownException unknown(String id, String queue, Exception cause) {
    return new OutcomeUnknownException(
        "The channel closed before RabbitMQ confirmed message '"
            + id
            + "' for queue '"
            + queue
            + "', so the message may have been stored or not: "
            + Failures.describe(cause),
        id,
        cause);
  }

  /** Returns the number of messages whose outcome is awaited. */
  int unconfirmed() {
    return unconfirmed.size();
  }

  /** Closes the connection. A write that is blocked fails. */
  void close() {
    if (writing != NONE) {
      opened.breakSocket();
    }
    Connections.close(connection);
  }
}
