package io.punctual.rabbitmq.internal;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Return;
import com.rabbitmq.client.ShutdownSignalException;
import io.punctual.rabbitmq.internal.UnconfirmedException.Kind;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
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
   * The numbers of the unconfirmed messages that RabbitMQ returns without their number, by id. Ids
   * need not be unique, so a message whose id is in the map has its number in a header.
   */
  private final ConcurrentMap<String, Long> unnumbered = new ConcurrentHashMap<>();

  /**
   * The reasons of returned messages, by their numbers. RabbitMQ confirms a message after its
   * return. Only the reading thread uses the map.
   */
  private final Map<Long, String> returned = new HashMap<>();

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
    channel.addReturnListener((Return each) -> returned(each, ids.apply(each.getProperties())));
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

  private void returned(Return message, @Nullable String id) {
    Object given = header(message.getProperties());
    Long number = given instanceof Long its ? its : id == null ? null : unnumbered.get(id);
    if (number != null) {
      returned.put(number, message.getReplyCode() + " " + message.getReplyText());
    }
  }

  private static @Nullable Object header(AMQP.BasicProperties properties) {
    Map<String, Object> headers = properties.getHeaders();
    return headers == null ? null : headers.get(Outgoing.NUMBER_HEADER);
  }

  private void end(long number, boolean multiple, @Nullable String refusal) {
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
    unnumbered.remove(message.id(), number);
    String back = returned.remove(number);
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
    long number = channel.getNextPublishSeqNo();
    unconfirmed.put(number, message);
    Outgoing.Route route = message.route();
    channel.basicPublish(
        route.exchange(),
        route.routingKey(),
        message.mandatory(),
        recognizable(message, number, content.properties()),
        content.body());
  }

  /** Returns the properties, with the number of the message if its id alone is ambiguous. */
  private AMQP.BasicProperties recognizable(
      Outgoing message, long number, AMQP.BasicProperties properties) {
    boolean isUnnumbered =
        !message.mandatory()
            || (header(properties) == null && unnumbered.putIfAbsent(message.id(), number) == null);
    if (isUnnumbered) {
      return properties;
    }
    Map<String, Object> headers = new HashMap<>();
    if (properties.getHeaders() != null) {
      headers.putAll(properties.getHeaders());
    }
    headers.put(Outgoing.NUMBER_HEADER, number);
    return properties.builder().headers(headers).build();
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
