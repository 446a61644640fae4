package io.punctual.rabbitmq.internal;

import com.rabbitmq.client.AMQP;
import io.punctual.rabbitmq.internal.UnconfirmedException.Kind;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A message on its way to RabbitMQ. Thread-safe. */
public final class Outgoing {
  /**
   * The header with the number of a message on its channel. Only a message that is published while
   * a message with the same id is unconfirmed has it.
   */
  public static final String NUMBER_HEADER = "x-punctual-number";

  private final String id;
  private final Supplier<Route> route;
  private final boolean mandatory;
  private final CompletableFuture<@Nullable Void> confirmed = new CompletableFuture<>();
  private volatile @Nullable Content content;
  private volatile boolean sent;

  public record Route(String exchange, String routingKey) {}

  public record Content(AMQP.BasicProperties properties, byte[] body) {}

  /** Creates a message whose exchange and routing key are known. */
  public Outgoing(
      String id,
      String exchange,
      String routingKey,
      AMQP.BasicProperties properties,
      byte[] body,
      boolean mandatory) {
    this(id, route(new Route(exchange, routingKey)), properties, body, mandatory);
  }

  private static Supplier<Route> route(Route fixed) {
    return () -> fixed;
  }

  /**
   * Creates a message.
   *
   * @param id the id by which a returned message is recognised
   * @param route returns the route at the time of the call; called just before each write
   * @param mandatory whether RabbitMQ returns the message if no queue receives it
   */
  public Outgoing(
      String id,
      Supplier<Route> route,
      AMQP.BasicProperties properties,
      byte[] body,
      boolean mandatory) {
    this.id = id;
    this.route = route;
    this.mandatory = mandatory;
    this.content = new Content(properties, body);
    // RabbitMQ may never confirm a message, for example if its quorum queue has no leader. So the
    // content of a message that was given up must not stay in memory.
    CompletableFuture<?> unused = confirmed.whenComplete((done, failure) -> content = null);
  }

  public String id() {
    return id;
  }

  public Route route() {
    return route.get();
  }

  boolean mandatory() {
    return mandatory;
  }

  /** Returns the content, or null if the message has ended. */
  public @Nullable Content content() {
    return content;
  }

  /**
   * Returns a future that completes when RabbitMQ has confirmed the message. It fails with {@link
   * UnconfirmedException}, or with {@link java.util.concurrent.TimeoutException} if no confirmation
   * arrived in time. A caller gives the message up by a cancel.
   */
  public CompletableFuture<@Nullable Void> confirmed() {
    return confirmed;
  }

  /**
   * Returns whether RabbitMQ may have received the message. If it is false after the message has
   * failed, the message was not written and will not be written.
   */
  public boolean wasSent() {
    return sent;
  }

  /** Notes that the message is about to be written; returns whether it is still wanted. */
  boolean send() {
    sent = true;
    return !confirmed.isDone();
  }

  void fail(Throwable failure) {
    confirmed.completeExceptionally(failure);
  }

  /** Fails the messages of a lost connection. */
  static void failAll(List<Outgoing> messages, @Nullable Throwable reason) {
    if (!messages.isEmpty()) {
      UnconfirmedException failure =
          new UnconfirmedException(Kind.AWAY, "The connection to RabbitMQ is lost", reason);
      messages.forEach(each -> each.fail(failure));
    }
  }
}
