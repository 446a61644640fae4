package io.punctual.rabbitmq;

import io.punctual.AsyncHandler;
import io.punctual.Delivery;
import io.punctual.PunctualException;
import io.punctual.rabbitmq.internal.ConfirmedPublisher;
import io.punctual.rabbitmq.internal.Outgoing;
import io.punctual.rabbitmq.internal.UnconfirmedException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;

/**
 * The handler of a bridge: publishes each delivery. A confirmed message is acked. If the broker is
 * away, or does not confirm in time, the message returns to the queue, and the attempt does not
 * count. For a message that RabbitMQ returned or refused, the stage fails, so that the retry policy
 * applies.
 */
final class Forwarder implements AsyncHandler<byte[]> {
  private final Routes routes;
  private final ConfirmedPublisher publisher;

  Forwarder(Routes routes, ConfirmedPublisher publisher) {
    this.routes = routes;
    this.publisher = publisher;
  }

  @Override
  public CompletionStage<?> handle(Delivery<byte[]> delivery) {
    Outgoing message = routes.outgoing(delivery);
    publisher.publish(message);
    CompletableFuture<?> settled =
        message
            .confirmed()
            .handle(
                (confirmed, failure) ->
                    failure == null ? ack(delivery) : failed(delivery, message, failure))
            .thenCompose(stage -> stage);
    // The worker cancels the stage at the end of its grace period. A message that still waits to be
    // published is then not sent.
    CompletableFuture<?> unused =
        settled.whenComplete((result, failure) -> message.confirmed().cancel(false));
    return settled;
  }

  /**
   * Acks a delivery, and waits for the store. So the message counts to the concurrency as long as
   * it is in memory, also if the store is slow. The worker logs a failure of the ack.
   */
  private static CompletionStage<?> ack(Delivery<byte[]> delivery) {
    return delivery.async().ack().handle((outcome, failure) -> null);
  }

  private static CompletionStage<?> failed(
      Delivery<byte[]> delivery, Outgoing message, Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof UnconfirmedException reason && !isAway(reason)) {
      return CompletableFuture.failedStage(refusal(delivery, message, reason));
    }
    return cause instanceof UnconfirmedException || cause instanceof TimeoutException
        ? delivery.async().release()
        : CompletableFuture.failedStage(cause);
  }

  /** Returns whether the failure says nothing about the message itself. */
  private static boolean isAway(UnconfirmedException failure) {
    return failure.kind() == UnconfirmedException.Kind.AWAY || failure.getCause() instanceof Error;
  }

  private static PunctualException refusal(
      Delivery<byte[]> delivery, Outgoing message, UnconfirmedException failure) {
    Outgoing.Route route = message.route();
    String text =
        "Message '"
            + message.id()
            + "' of queue '"
            + delivery.queue()
            + "' was not published to exchange '"
            + route.exchange()
            + "' with routing key '"
            + route.routingKey()
            + "': "
            + failure.reason();
    return failure.kind() == UnconfirmedException.Kind.RETURNED
        ? new UnroutableException(text)
        : new RefusedException(text, failure.getCause());
  }
}
