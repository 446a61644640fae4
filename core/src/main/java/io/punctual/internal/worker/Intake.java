package io.punctual.internal.worker;

import io.punctual.Codec;
import io.punctual.RetryPolicy;
import io.punctual.event.Event;
import io.punctual.internal.runtime.FailureLog;
import io.punctual.spi.Content;
import io.punctual.spi.Reply;
import java.time.Duration;
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
  private final Settling settling;

  public Intake(Codec<T> codec, RetryPolicy policy, Settling settling) {
    this.codec = codec;
    this.policy = policy;
    this.settling = settling;
  }

  /** Buries the unreadable entries of a claim, and publishes how many messages it brought. */
  void received(Reply.Claimed claimed, ClaimLease grant) {
    for (Reply.Unreadable entry : claimed.unreadable()) {
      settled(unseen(entry, grant).bury("unreadable: " + entry.why(), null));
    }
    int count = claimed.messages().size();
    if (count > 0) {
      settling.env().events().publish(() -> new Event.MessagesClaimed(settling.queue(), count));
    }
  }

  /** Returns the delivery of a message that the consumer may see; settles any other message. */
  Optional<ClientDelivery<T>> admit(Reply.Leased message, ClaimLease grant) {
    long now = settling.env().nanoTime();
    if (grant.isOver(now)) {
      tooLate(message, grant);
    } else if (message.content().notAfterMillis() < grant.engineMillis(now)) {
      settled(unseen(message, grant).bury("expired", null));
    } else if (message.attempt() > policy.maxAttempts() && silentAttempts(message) > 0) {
      buryUnsettled(message, grant);
    } else {
      return decode(message, grant);
    }
    return Optional.empty();
  }

  /** Counts the attempts that ended without a settlement, as when the consumer's process dies. */
  private static int silentAttempts(Reply.Leased message) {
    return message.attempt() - 1 - FailureLog.of(message.history()).total();
  }

  /**
   * Buries a message that may be what kills its consumers. The limit applies to other messages when
   * they fail next: their attempts were retried by the caller, or before the limit was lowered.
   */
  private void buryUnsettled(Reply.Leased message, ClaimLease grant) {
    int silent = silentAttempts(message);
    String reason =
        "attempt %d, limit %d: %d %s ran out without a settlement"
            .formatted(
                message.attempt(), policy.maxAttempts(), silent, silent == 1 ? "lease" : "leases");
    settled(unseen(message, grant).bury(reason, null));
  }

  private Optional<ClientDelivery<T>> decode(Reply.Leased message, ClaimLease grant) {
    T payload;
    try {
      payload = codec.decode(message.content().payload());
    } catch (Throwable e) {
      failed(unseen(message, grant), e, "undecodable: " + FailureLog.describe(e));
      return Optional.empty();
    }
    return Optional.of(new ClientDelivery<>(settling, message, payload, grant));
  }

  /** An attempt failed: retries the message by the policy, or buries it. */
  void failed(ClientDelivery<?> delivery, Throwable failure) {
    failed(delivery, failure, FailureLog.describe(failure));
  }

  private void failed(ClientDelivery<?> delivery, Throwable failure, String error) {
    Optional<Duration> delay = retryDelay(delivery, failure);
    settled(
        delay.isPresent()
            ? delivery.retry(delay.get(), error, failure)
            : delivery.bury(error, failure));
  }

  private Optional<Duration> retryDelay(ClientDelivery<?> delivery, Throwable failure) {
    try {
      return policy.delayAfter(delivery.attempt(), failure, settling.env().randomGenerator());
    } catch (Throwable e) {
      settling.log().policyFailed(AFTER_BROKEN_POLICY, e);
      return Optional.of(AFTER_BROKEN_POLICY);
    }
  }

  /** Gives back a message that no handler has seen before its lease ran out. */
  void tooLate(Reply.Leased message, ClaimLease grant) {
    ClientDelivery<byte[]> unseen = unseen(message, grant);
    unseen.lose();
    settled(unseen.releaseAsync());
  }

  /** Gives back a message that no handler has seen; its attempt is not counted. */
  void release(Reply.Leased message, ClaimLease grant) {
    settled(unseen(message, grant).releaseAsync());
  }

  /** Gives back everything that a claim brought. */
  void releaseAll(Reply.Claimed claimed, ClaimLease grant) {
    claimed.messages().forEach(message -> release(message, grant));
    claimed.unreadable().forEach(entry -> settled(unseen(entry, grant).releaseAsync()));
  }

  private ClientDelivery<byte[]> unseen(Reply.Leased message, ClaimLease grant) {
    return new ClientDelivery<>(settling, message, message.content().payload(), grant);
  }

  private ClientDelivery<byte[]> unseen(Reply.Unreadable entry, ClaimLease grant) {
    byte[] nothing = new byte[0];
    return unseen(new Reply.Leased(entry.id(), Content.of(nothing), 0, 1, nothing), grant);
  }

  /** The delivery reports its settlement by itself. */
  private static void settled(CompletableFuture<?> settlement) {
    CompletableFuture<?> unused = settlement;
  }
}
