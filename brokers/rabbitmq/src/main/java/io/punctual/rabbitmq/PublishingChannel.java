package io.punctual.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Return;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * A channel in confirm mode, and the messages that RabbitMQ has not confirmed on it. One thread
 * publishes; the confirmations arrive on the thread that reads from the connection.
 */
final class PublishingChannel {
  private final Channel channel;
  private final String queue;
  private final ConcurrentNavigableMap<Long, Outgoing> unconfirmed = new ConcurrentSkipListMap<>();

  /**
   * The messages that RabbitMQ has returned and not yet confirmed, by id. RabbitMQ confirms a
   * message after its return. Only the reading thread uses the map.
   */
  private final Map<String, Return> returned = new HashMap<>();

  private final CompletableFuture<ShutdownSignalException> closed = new CompletableFuture<>();

  /**
   * Opens a channel on the connection.
   *
   * @param queue the name of the Punctual queue, for the texts of failures
   * @param progress runs at each confirmation or refusal, on the reading thread
   * @param closing runs when the channel closes
   */
  PublishingChannel(Connection connection, String queue, Runnable progress, Runnable closing)
      throws IOException {
    this.queue = queue;
    channel =
        connection
            .openChannel()
            .orElseThrow(() -> new IOException("The connection has no free channel"));
    channel.confirmSelect();
    channel.addReturnListener((Return each) -> returned.put(id(each), each));
    channel.addConfirmListener(
        (number, multiple) -> {
          progress.run();
          end(number, multiple, null);
        },
        (number, multiple) -> {
          progress.run();
          end(
              number,
              multiple,
              "RabbitMQ refused it (basic.nack); its queue is full or can't store messages");
        });
    channel.addShutdownListener(
        cause -> {
          closed.complete(cause);
          closing.run();
        });
  }

  private static String id(Return each) {
    Map<String, Object> headers = each.getProperties().getHeaders();
    return headers == null ? "" : String.valueOf(headers.get(RabbitBridge.ID_HEADER));
  }

  private void end(long number, boolean multiple, @Nullable String refusal) {
    if (!multiple) {
      Outgoing message = unconfirmed.remove(number);
      if (message != null) {
        end(message, refusal);
      }
      return;
    }
    ConcurrentNavigableMap<Long, Outgoing> upTo = unconfirmed.headMap(number, true);
    while (true) {
      Map.Entry<Long, Outgoing> first = upTo.pollFirstEntry();
      if (first == null) {
        return;
      }
      end(first.getValue(), refusal);
    }
  }

  private void end(Outgoing message, @Nullable String refusal) {
    Return back = returned.isEmpty() ? null : returned.remove(message.id());
    if (refusal != null) {
      message.fail(new RefusedException(describe(message) + ": " + refusal, null));
    } else if (back != null) {
      message.fail(
          new UnroutableException(
              describe(message)
                  + ": no queue is bound for this routing key ("
                  + back.getReplyCode()
                  + " "
                  + back.getReplyText()
                  + "); add a binding"));
    } else {
      message.confirmed().complete(null);
    }
  }

  private String describe(Outgoing message) {
    return "Message '"
        + message.id()
        + "' of queue '"
        + queue
        + "' was not published to exchange '"
        + message.exchange()
        + "' with routing key '"
        + message.routingKey()
        + "'";
  }

  /**
   * Returns the failure to report for a message that made RabbitMQ or the client close the channel.
   */
  RefusedException refusal(Outgoing message, @Nullable Throwable cause) {
    String reason =
        cause instanceof ShutdownSignalException signal
            ? String.valueOf(signal.getReason())
            : cause == null ? "the channel was closed" : String.valueOf(cause.getMessage());
    return new RefusedException(describe(message) + ": " + reason, cause);
  }

  void publish(Outgoing message) throws IOException {
    long number = channel.getNextPublishSeqNo();
    unconfirmed.put(number, message);
    // RabbitMQ may never confirm a message, for example if its quorum queue has no leader. So the
    // content of a message that was given up must not stay in memory.
    CompletableFuture<?> unused =
        message
            .confirmed()
            .whenComplete(
                (confirmed, failure) ->
                    unconfirmed.computeIfPresent(number, (same, each) -> each.withoutContent()));
    channel.basicPublish(
        message.exchange(),
        message.routingKey(),
        message.mandatory(),
        message.properties(),
        message.body());
  }

  boolean isOpen() {
    return channel.isOpen();
  }

  /** Returns a future that completes with the cause when the channel is closed. */
  CompletableFuture<ShutdownSignalException> closed() {
    return closed;
  }

  /** Returns the messages that are neither confirmed nor given up, in the order of publication. */
  List<Outgoing> unconfirmed() {
    return unconfirmed.values().stream().filter(each -> !each.confirmed().isDone()).toList();
  }

  /** Returns whether the channel has a single message without a confirmation. */
  boolean hasOneUnconfirmed() {
    return unconfirmed.size() == 1;
  }

  void abort() {
    try {
      channel.abort();
    } catch (IOException | RuntimeException e) {
      // The channel is closed already.
    }
  }
}
