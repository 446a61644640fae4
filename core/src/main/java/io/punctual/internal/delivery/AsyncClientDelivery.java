package io.punctual.internal.delivery;

import io.punctual.AsyncDelivery;
import io.punctual.Due;
import io.punctual.SettleOutcome;
import io.punctual.internal.runtime.Callbacks;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** The asynchronous forms of a {@link ClientDelivery}. Thread-safe. */
public record AsyncClientDelivery<T>(ClientDelivery<T> delivery, Callbacks callbacks)
    implements AsyncDelivery<T> {
  @Override
  public CompletableFuture<SettleOutcome> ack() {
    return callbacks.of(delivery.acked());
  }

  @Override
  public CompletableFuture<SettleOutcome> endRecurrence() {
    return callbacks.of(delivery.ended());
  }

  @Override
  public CompletableFuture<SettleOutcome> retry(Duration delay) {
    return retry(delay, ClientDelivery.NO_REASON);
  }

  @Override
  public CompletableFuture<SettleOutcome> retry(Duration delay, String reason) {
    return callbacks.of(delivery.retried(delay, reason));
  }

  @Override
  public CompletableFuture<SettleOutcome> bury(String reason) {
    return callbacks.of(delivery.buried(reason));
  }

  @Override
  public CompletableFuture<SettleOutcome> release() {
    return callbacks.of(delivery.released());
  }

  @Override
  public CompletableFuture<SettleOutcome> defer(Duration delay) {
    return callbacks.of(delivery.deferred(delay));
  }

  @Override
  public CompletableFuture<SettleOutcome> repeat(Due due) {
    return callbacks.of(delivery.repeated(due));
  }

  @Override
  public CompletableFuture<SettleOutcome> repeat(Due due, T other) {
    return callbacks.of(delivery.repeated(due, other));
  }

  @Override
  public CompletableFuture<SettleOutcome> extend(Duration lease) {
    return callbacks.of(delivery.extended(lease));
  }
}
