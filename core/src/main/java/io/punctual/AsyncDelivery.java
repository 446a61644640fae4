package io.punctual;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * The asynchronous forms of the settlements of a {@link Delivery}: {@link Delivery#async}. The
 * stage of a settlement completes when the store has confirmed it, on the threads of {@link
 * AsyncTimedQueue}, and fails as the blocking form does. A second settlement throws {@link
 * IllegalStateException} at once. Safe for use by many threads.
 *
 * @param <T> the payload's type
 */
public interface AsyncDelivery<T> {
  /** The asynchronous form of {@link Delivery#ack()}. */
  CompletionStage<SettleOutcome> ack();

  /** The asynchronous form of {@link Delivery#endRecurrence}. */
  CompletionStage<SettleOutcome> endRecurrence();

  /** The asynchronous form of {@link Delivery#retry(Duration)}. */
  CompletionStage<SettleOutcome> retry(Duration delay);

  /** The asynchronous form of {@link Delivery#retry(Duration, String)}. */
  CompletionStage<SettleOutcome> retry(Duration delay, String reason);

  /** The asynchronous form of {@link Delivery#bury(String)}. */
  CompletionStage<SettleOutcome> bury(String reason);

  /** The asynchronous form of {@link Delivery#release()}. */
  CompletionStage<SettleOutcome> release();

  /** The asynchronous form of {@link Delivery#defer(Duration)}. */
  CompletionStage<SettleOutcome> defer(Duration delay);

  /** The asynchronous form of {@link Delivery#repeat(Due)}. */
  CompletionStage<SettleOutcome> repeat(Due due);

  /** The asynchronous form of {@link Delivery#repeat(Due, Object)}. */
  CompletionStage<SettleOutcome> repeat(Due due, T payload);

  /** The asynchronous form of {@link Delivery#extend(Duration)}. */
  CompletionStage<SettleOutcome> extend(Duration lease);
}
