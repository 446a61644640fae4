package io.punctual.rabbitmq.internal;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Return;
import com.rabbitmq.client.ShutdownSignalException;
import io.punctual.rabbitmq.internal.UnconfirmedException.Kind;
import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A channel in confirm mode, and the messages that RabbitMQ has not confirmed on it. One thread
 * publishes; the confirmations arrive on the thread that reads from the connection.
 */
final class ConfirmedChannel {
  private final Channel channel;
  private final ConcurrentNavigableMap<Long, Outgoing> unconfirmed = new ConcurrentSkipListMap<>();

  /**
   * The latest return of each id. RabbitMQ confirms a message after its return. A return counts for
   * all messages with its id that were published before it, because ids need not be unique: which
   * of them came back is not known, and none of them may count as confirmed. Only the reading
   * thread uses the map.
   */
  private final Map<@Nullable String, Returned> returned = new LinkedHashMap<>();

  private record Returned(String reason, long lastPublished) {}

  private final CompletableFuture<ShutdownSignalException> closed = new CompletableFuture<>();
  private volatile boolean incomplete;

  /**
   * Opens a channel on the connection.
   *
   * @param ids returns the id of a returned message
   * @param progress runs at each confirmation or refusal, on the reading thread
   * @param closing runs when the channel closes
   */
  ConfirmedChannel(
      Connection connection,
      Function<AMQP.BasicProperties, @Nullable String> ids,
      Runnable progress,
      Runnable closing)
      throws IOException {
    channel =
        connection
            .openChannel()
            .orElseThrow(() -> new IOException("The connection has no free channel"));
    channel.confirmSelect();
    channel.addReturnListener((Return each) -> returned(ids.apply(each.getProperties()), each));
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

  private void returned(@Nullable String id, Return message) {
    Map.Entry<Long, Outgoing> last = unconfirmed.lastEntry();
    returned.remove(id); // the map stays in the order of the numbers
    String reason = message.getReplyCode() + " " + message.getReplyText();
    returned.put(id, new Returned(reason, last == null ? 0 : last.getKey()));
  }

  private void end(long number, boolean multiple, @Nullable String refusal) {
    try {
      endAll(number, multiple, refusal);
    } finally {
      forgetReturned();
    }
  }

  /** Forgets the returns that count for no message any more. */
  private void forgetReturned() {
    if (returned.isEmpty()) {
      return;
    }
    long oldest = Long.MAX_VALUE;
    for (Map.Entry<Long, Outgoing> each : unconfirmed.entrySet()) {
      if (!each.getValue().confirmed().isDone()) {
        oldest = each.getKey(); // RabbitMQ may never confirm those before, which were given up
        break;
      }
    }
    Iterator<Returned> all = returned.values().iterator();
    while (all.hasNext() && all.next().lastPublished < oldest) {
      all.remove();
    }
  }

  private void endAll(long number, boolean multiple, @Nullable String refusal) {
    if (!multiple) {
      Outgoing message = unconfirmed.remove(number);
      if (message != null) {
        end(number, message, refusal);
      }
      return;
    }
    ConcurrentNavigableMap<Long, Outgoing> upTo = unconfirmed.headMap(number, true);
    while (true) {
      Map.Entry<Long, Outgoing> first = upTo.pollFirstEntry();
      if (first == null) {
        return;
      }
      end(first.getKey(), first.getValue(), refusal);
    }
  }

  private void end(long number, Outgoing message, @Nullable String refusal) {
    Returned last = returned.isEmpty() ? null : returned.get(message.id());
    String back =
        last != null && message.mandatory() && number <= last.lastPublished ? last.reason : null;
    if (refusal != null) {
      message.fail(new UnconfirmedException(Kind.REFUSED, refusal, null));
    } else if (back != null) {
      incomplete = true;
      message.fail(
          new UnconfirmedException(
              Kind.RETURNED,
              "no queue is bound for this routing key (" + back + "); add a binding",
              null));
    } else {
      message.confirmed().complete(null);
    }
  }

  /** Publishes a message, unless it has ended. */
  void publish(Outgoing message) throws IOException {
    Outgoing.Content content = message.content();
    if (content == null || !message.send()) {
      return;
    }
    unconfirmed.put(channel.getNextPublishSeqNo(), message);
    Outgoing.Route route = message.route();
    channel.basicPublish(
        route.exchange(),
        route.routingKey(),
        message.mandatory(),
        content.properties(),
        content.body());
  }

  boolean isOpen() {
    return channel.isOpen();
  }

  /** Returns whether a message was returned, so that a queue or a binding may be missing. */
  boolean isIncomplete() {
    return incomplete;
  }

  /** Notes that what was missing is declared. */
  void complete() {
    incomplete = false;
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
