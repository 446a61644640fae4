package io.punctual.rabbitmq.delay;

import com.rabbitmq.client.Delivery;
import io.punctual.ClientClosedException;
import io.punctual.Codec;
import io.punctual.PunctualException;
import io.punctual.RetryAfterException;
import io.punctual.RetryPolicy;
import io.punctual.SettleOutcome;
import io.punctual.UndecodableException;
import io.punctual.deadletter.DeadReason;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Calls a worker's handler, and settles the delivery after the call. Safe for many threads. */
final class HandlerRun<T> {
  private static final long AFTER_BROKEN_POLICY_MILLIS = TimeUnit.MINUTES.toMillis(1);

  private final Codec<T> codec;
  private final RabbitHandler<T> handler;
  private final RetryPolicy policy;
  private final int maxAttempts;
  private final HeldDelivery.Settling settling;
  private final DelayLog log;

  /** Reaches zero when the grace period of a close has passed. */
  private final CountDownLatch graceOver = new CountDownLatch(1);

  HandlerRun(
      Codec<T> codec,
      RabbitHandler<T> handler,
      RetryPolicy policy,
      HeldDelivery.Settling settling,
      DelayLog log) {
    this.codec = codec;
    this.handler = handler;
    this.policy = policy;
    this.maxAttempts = policy.maxAttempts();
    this.settling = settling;
    this.log = log;
  }

  /**
   * Ends the grace period of a close: gives up settlements that wait for the broker, and starts no
   * further handler. The broker delivers the messages again.
   */
  void endGrace() {
    graceOver.countDown();
  }

  private boolean isGraceOver() {
    return graceOver.getCount() == 0;
  }

  /**
   * Processes a message; without effect if its channel is closed or the grace period of a close has
   * passed.
   */
  void run(ConsumerChannel channel, Delivery message) {
    if (!channel.isOpen() || isGraceOver()) {
      return;
    }
    HeldDelivery<T> unread = delivery(channel, message, null);
    if (unread.attempt() > maxAttempts) {
      String detail = "The last attempt ended without a settlement; perhaps it ends its process";
      bury(unread, DeadReason.WORKERS_DIED, detail, null);
      return;
    }
    T payload;
    try {
      payload = decode(message);
    } catch (Throwable e) {
      failed(unread, DeadReason.UNDECODABLE, e);
      return;
    }
    handle(delivery(channel, message, payload));
  }

  private HeldDelivery<T> delivery(ConsumerChannel channel, Delivery message, @Nullable T payload) {
    return new HeldDelivery<>(channel, message, payload, maxAttempts, settling);
  }

  /**
   * Decodes a payload. An {@link Error} may be a fault of this process and not of the payload, so
   * it is thrown unchanged.
   */
  private T decode(Delivery message) {
    try {
      Map<String, String> headers = Headers.texts(message.getProperties().getHeaders());
      return Objects.requireNonNull(
          codec.decode(message.getBody(), headers), "the codec returned null");
    } catch (Exception e) {
      throw new UndecodableException("The payload can't be decoded", e);
    }
  }

  private void handle(HeldDelivery<T> delivery) {
    try {
      handler.handle(delivery);
    } catch (Throwable e) {
      clearInterrupt();
      failed(delivery, DeadReason.FAILED, e);
      return;
    }
    clearInterrupt();
    if (!delivery.isSettled() && delivery.ack() == SettleOutcome.LEASE_LOST) {
      log.ackLost(delivery.id());
    }
  }

  /**
   * Clears the interrupt that a handler may leave in its thread, because it would stop the
   * settlement.
   */
  private static void clearInterrupt() {
    boolean unused = Thread.interrupted();
  }

  private void failed(HeldDelivery<T> delivery, DeadReason reason, Throwable failure) {
    if (delivery.isSettled() || delivery.isLost() || isGraceOver()) {
      log.failedWithoutRetry(delivery.id(), delivery.attempt(), delivery.isSettled(), failure);
      return;
    }
    Optional<Long> delay = delayMillis(delivery.attempt(), failure);
    if (delay.isEmpty()) {
      bury(delivery, reason, Failures.text(failure), failure);
      return;
    }
    log.retry(delivery.id(), delivery.attempt(), delay.get(), failure);
    SettleOutcome unused = settle(delivery, delivery.retryCopy(delay.get()));
  }

  private void bury(
      HeldDelivery<T> delivery, DeadReason reason, String detail, @Nullable Throwable failure) {
    log.dead(delivery.id(), delivery.attempt(), reason + ": " + detail, failure);
    SettleOutcome unused = settle(delivery, delivery.deadCopy(reason, detail));
  }

  /** Returns the delay of the retry, or empty if the message becomes a dead letter. */
  private Optional<Long> delayMillis(int attempt, Throwable failure) {
    if (attempt >= maxAttempts) {
      return Optional.empty();
    }
    try {
      return policy
          .delayAfter(attempt, failure, ThreadLocalRandom.current())
          .map(ofPolicy -> asked(failure).orElse(ofPolicy))
          .map(settling.levels()::millis);
    } catch (Throwable e) {
      long millis = Math.min(AFTER_BROKEN_POLICY_MILLIS, settling.levels().maxDelay().toMillis());
      log.policyFailed(millis, e);
      return Optional.of(millis);
    }
  }

  private static Optional<Duration> asked(Throwable failure) {
    Throwable inner =
        failure instanceof CompletionException || failure instanceof ExecutionException
            ? failure.getCause()
            : failure;
    return inner instanceof RetryAfterException e ? Optional.of(e.delay()) : Optional.empty();
  }

  private SettleOutcome settle(HeldDelivery<T> delivery, DelayedMessage copy) {
    return delivery.settle(copy, it -> forward(delivery, it));
  }

  /**
   * Tries to publish a copy until the broker confirms it; returns whether it did. Gives up when the
   * channel of the delivery or the publisher is closed, or the grace period of the worker has
   * passed; the broker then delivers the message again.
   */
  private boolean forward(HeldDelivery<T> delivery, DelayedMessage copy) {
    while (!isGraceOver() && !delivery.isLost()) {
      try {
        String unused = settling.publisher().publish(copy);
        return true;
      } catch (ClientClosedException e) {
        return false;
      } catch (PunctualException e) {
        log.notForwarded(copy.id(), e);
        pause();
      }
    }
    return false;
  }

  /**
   * Waits a second, or until the grace period of a close has passed. The caller then decides
   * whether to try again.
   */
  void pause() {
    clearInterrupt();
    try {
      boolean unused = graceOver.await(1, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
