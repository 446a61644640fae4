package io.punctual.internal.worker;

import io.punctual.Codec;
import io.punctual.DeadReason;
import io.punctual.RetryAfterException;
import io.punctual.RetryPolicy;
import io.punctual.UndecodableException;
import io.punctual.event.Event;
import io.punctual.internal.runtime.Checks;
import io.punctual.internal.runtime.FailureLog;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Decides about each claimed message: a delivery for the consumer, or a settlement without a
 * delivery. Workers and manual claims share it, so that both follow the same rules. Thread-safe.
 */
public final class Intake<T> {
  private static final Duration AFTER_BROKEN_POLICY = Duration.ofMinutes(1);

  private final Codec<T> codec;
  private final RetryPolicy policy;
  private final int maxAttempts;
  private final Settling settling;

  public Intake(Codec<T> codec, RetryPolicy policy, Settling settling) {
    this.codec = codec;
    this.policy = policy;
    this.maxAttempts = Checks.attempts(policy.maxAttempts());
    this.settling = settling;
  }

  /** Buries the unreadable entries of a claim, and publishes the number of its messages. */
  void received(Reply.Claimed claimed, ClaimLease lease) {
    for (Reply.Unreadable entry : claimed.unreadable()) {
      settled(unseen(entry, lease).bury(Death.of(DeadReason.UNREADABLE, entry.why())));
    }
    int count = claimed.messages().size();
    if (count > 0) {
      settling.env().events().publish(() -> new Event.MessagesClaimed(settling.queue(), count));
    }
  }

  /** Returns the delivery of a message that the consumer may receive; settles any other message. */
  Optional<ClientDelivery<T>> admit(Reply.Leased message, ClaimLease lease) {
    long now = settling.env().nanoTime();
    if (lease.isOver(now)) {
      tooLate(message, lease);
    } else if (message.content().notAfterMillis() < lease.engineMillis(now)) {
      settled(unseen(message, lease).bury(expired(message)));
    } else if (message.attempt() > maxAttempts && isUnsettled(message)) {
      settled(unseen(message, lease).bury(workersDied(message)));
    } else {
      return decode(message, lease);
    }
    return Optional.empty();
  }

  private static Death expired(Reply.Leased message) {
    String notAfter = message.content().notAfter().map(Instant::toString).orElse("");
    return Death.of(DeadReason.EXPIRED, "no worker received it until " + notAfter);
  }

  /**
   * Returns whether the lease of the last attempt ended without a settlement, for example because
   * the process died. This message may be the cause of its consumers' deaths. Other messages above
   * the limit are buried at their next failure: the consumer retried them itself, or the limit was
   * lowered later.
   */
  private static boolean isUnsettled(Reply.Leased message) {
    int last = message.attempt() - 1;
    return last > 0 && !FailureLog.of(message.history()).hasFailureOf(last);
  }

  private Death workersDied(Reply.Leased message) {
    int unsettled = Math.max(1, message.attempt() - 1 - FailureLog.of(message.history()).total());
    String detail =
        "attempt %d, limit %d: %d %s ran out without a settlement"
            .formatted(
                message.attempt(), maxAttempts, unsettled, unsettled == 1 ? "lease" : "leases");
    return Death.of(DeadReason.WORKERS_DIED, detail);
  }

  private Optional<ClientDelivery<T>> decode(Reply.Leased message, ClaimLease lease) {
    T payload;
    try {
      payload = codec.decode(message.content().payload());
    } catch (Throwable e) {
      failed(unseen(message, lease), DeadReason.UNDECODABLE, undecodable(e));
      return Optional.empty();
    }
    return Optional.of(new ClientDelivery<>(settling, message, payload, lease, maxAttempts));
  }

  /** Keeps an error as it is, because it may be a fault of this process. */
  private static Throwable undecodable(Throwable failure) {
    return failure instanceof Error
        ? failure
        : new UndecodableException("The payload can't be decoded", failure);
  }

  /** An attempt failed: retries the message by the policy, or buries it. */
  void failed(ClientDelivery<?> delivery, Throwable failure) {
    failed(delivery, DeadReason.FAILED, failure);
  }

  private void failed(ClientDelivery<?> delivery, DeadReason reason, Throwable failure) {
    Optional<Duration> delay = retryDelay(delivery, failure);
    settled(
        delay.isPresent()
            ? delivery.retry(delay.get(), FailureLog.describe(failure), failure)
            : delivery.bury(Death.after(reason, failure)));
  }

  /** Returns the delay of the retry, or empty for a dead letter. A broken policy loses nothing. */
  private Optional<Duration> retryDelay(ClientDelivery<?> delivery, Throwable failure) {
    int attempt = delivery.attempt();
    if (attempt >= maxAttempts) {
      return Optional.empty();
    }
    try {
      Optional<Duration> delay =
          policy.delayAfter(attempt, failure, settling.env().randomGenerator());
      delay.ifPresent(DueTime::delayMillis);
      return delay.map(ofPolicy -> asked(failure).orElse(ofPolicy));
    } catch (Throwable e) {
      settling.log().policyFailed(AFTER_BROKEN_POLICY, e);
      return Optional.of(AFTER_BROKEN_POLICY);
    }
  }

  /** Returns the delay that the handler asks for by its exception. */
  private static Optional<Duration> asked(Throwable failure) {
    return StoreFailures.unwrap(failure) instanceof RetryAfterException e
        ? Optional.of(e.delay())
        : Optional.empty();
  }

  /** Releases a message whose lease expired before a handler received it. */
  void tooLate(Reply.Leased message, ClaimLease lease) {
    ClientDelivery<byte[]> unseen = unseen(message, lease);
    unseen.held().lose();
    settled(unseen.releaseAsync());
  }

  /** Releases a message that no handler has received, without counting the attempt. */
  void release(Reply.Leased message, ClaimLease lease) {
    settled(unseen(message, lease).releaseAsync());
  }

  /** Releases all messages of a claim. */
  void releaseAll(Reply.Claimed claimed, ClaimLease lease) {
    claimed.messages().forEach(message -> release(message, lease));
    claimed.unreadable().forEach(entry -> settled(unseen(entry, lease).releaseAsync()));
  }

  private ClientDelivery<byte[]> unseen(Reply.Leased message, ClaimLease lease) {
    byte[] payload = message.content().payload();
    return new ClientDelivery<>(settling, message, payload, lease, maxAttempts);
  }

  private ClientDelivery<byte[]> unseen(Reply.Unreadable entry, ClaimLease lease) {
    byte[] nothing = new byte[0];
    return unseen(new Reply.Leased(entry.id(), Content.of(nothing), 0, 1, nothing), lease);
  }

  /** Ignores the stage, because the delivery reports its settlement itself. */
  private static void settled(CompletableFuture<?> settlement) {
    CompletableFuture<?> unused = settlement;
  }
}
