package io.punctual.internal.delivery;

import io.punctual.Codec;
import io.punctual.RecurrenceException;
import io.punctual.UndecodableException;
import io.punctual.deadletter.DeadHandler;
import io.punctual.deadletter.DeadReason;
import io.punctual.event.Event;
import io.punctual.internal.message.FailureLog;
import io.punctual.internal.message.NewPayload;
import io.punctual.internal.message.RecurrenceHeaders;
import io.punctual.spi.Content;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides about claimed messages and failed attempts: whether the consumer or the dead handler
 * receives a message, or the client settles it. Workers and manual claims share this class, so that
 * both follow the same rules. Thread-safe.
 */
public final class DeliveryRules<T> {
  /** The delay of a message whose recurrence this process does not know. */
  private static final Duration AFTER_UNKNOWN_RECURRENCE = Duration.ofSeconds(10);

  /**
   * The number of attempts above the limit after which the dead handler is no longer called for a
   * message whose leases keep running out.
   */
  private static final int DEAD_CALLS = 3;

  private final Codec<T> codec;
  private final RetryRule retries;
  private final @Nullable DeadHandler<T> deadHandler;
  private final SettlementContext settling;
  private final Suspects suspects;

  /** A message for the dead handler, and the reason of its death. */
  public record Dying<T>(ClientDelivery<T> delivery, Death death) {
    /** Returns whether the message can still be buried. */
    public boolean isHeld() {
      return !delivery.isSettled() && !delivery.held().isKnownLost();
    }
  }

  public DeliveryRules(Codec<T> codec, FailureRules<T> rules, SettlementContext settling) {
    this.codec = codec;
    this.retries = RetryRule.of(rules.policy());
    this.deadHandler = rules.deadHandler();
    this.settling = settling;
    this.suspects = new Suspects(settling, maxAttempts(), deadHandler == null);
  }

  /**
   * Returns to the queue the messages that must wait, because they may end this process together
   * with others.
   */
  public Suspects.Sifted sift(Reply.Claimed claimed, ClaimLease lease) {
    return suspects.sift(claimed, lease);
  }

  /**
   * Buries the unreadable entries of a claim, and publishes an event with the number of the claim's
   * messages, if there are any. Like the releases of this class, it throws nothing: a message whose
   * settlement can't be sent is claimed again after its lease.
   */
  public void received(Reply.Claimed claimed, ClaimLease lease) {
    for (Reply.Unreadable entry : claimed.unreadable()) {
      Death death = Death.of(DeadReason.UNREADABLE, entry.why());
      settle(entry.id(), () -> unseen(entry, lease).giveUp(death));
    }
    int count = claimed.messages().size();
    if (count > 0) {
      settling.env().events().publish(() -> new Event.MessagesClaimed(settling.queue(), count));
    }
  }

  /**
   * Returns the delivery of a message that the consumer may receive. Settles any other message, or
   * passes it to {@code dying} if the dead handler must receive it.
   */
  public Optional<ClientDelivery<T>> admit(ClaimedMessage claimed, Consumer<Dying<T>> dying) {
    if (claimed.isLost()) {
      tooLate(claimed.message(), claimed.lease());
      return Optional.empty();
    }
    Optional<ClientDelivery<T>> admitted = admit(claimed.message(), claimed.lease(), dying);
    admitted.ifPresent(delivery -> claimed.delivered(delivery.held()));
    return admitted;
  }

  /** Does the same for a message with this lease. */
  public Optional<ClientDelivery<T>> admit(
      Reply.Leased message, ClaimLease lease, Consumer<Dying<T>> dying) {
    Optional<RecurrenceException> unknown = recurrenceProblem(message, lease);
    if (lease.mayBeOver(settling.env())) {
      tooLate(message, lease);
    } else if (unknown.isPresent()) {
      postpone(message, lease, unknown.get());
    } else if (isExpired(message, lease)) {
      die(unseen(message, lease), Death.expired(message), dying);
    } else if (isAboveLimit(message, lease)) {
      die(unseen(message, lease), Death.workersDied(message, maxAttempts()), dying);
    } else {
      return decoded(message, lease, dying);
    }
    return Optional.empty();
  }

  /**
   * Returns why this process can't compute the next occurrence of a recurring message, or empty if
   * it can, or if the message is not recurring.
   */
  private Optional<RecurrenceException> recurrenceProblem(Reply.Leased message, ClaimLease lease) {
    Occurrence occurrence = occurrence(message);
    if (occurrence == null) {
      return Optional.empty();
    }
    try {
      long now = lease.engineMillis(settling.env().nanoTime());
      Optional<Instant> unused = occurrence.next(Instant.ofEpochMilli(now));
      return Optional.empty();
    } catch (RecurrenceException e) {
      return Optional.of(e);
    }
  }

  /** Returns the occurrence of a recurring message; null if the message is not recurring. */
  public @Nullable Occurrence occurrence(Reply.Leased message) {
    if (RecurrenceHeaders.text(message.content().headers()) == null) {
      return null;
    }
    FailureLog failures = FailureLog.of(message.history());
    return Occurrence.of(message, failures, settling.env().recurrences());
  }

  /**
   * Defers a message whose next occurrence this process can't compute, for example because a module
   * is missing. A process that can compute the occurrence may claim the message later.
   */
  private void postpone(Reply.Leased message, ClaimLease lease, RecurrenceException unknown) {
    settling.log().recurrenceUnknown(message.id(), AFTER_UNKNOWN_RECURRENCE, unknown);
    settled(unseen(message, lease).async().defer(AFTER_UNKNOWN_RECURRENCE));
  }

  /**
   * Gives a message up, or passes it to {@code dying} for the dead handler. The dead handler does
   * not receive a message that is more than {@link #DEAD_CALLS} attempts above the limit and whose
   * last lease ran out, because the dead handler may be the cause.
   */
  private void die(ClientDelivery<T> delivery, Death death, Consumer<Dying<T>> dying) {
    boolean hopeless =
        delivery.attempt() > maxAttempts() + DEAD_CALLS && delivery.followsUnsettledAttempt();
    if (deadHandler == null || hopeless) {
      settled(delivery.giveUp(death));
    } else {
      dying.accept(new Dying<>(delivery, death));
    }
  }

  /** Returns the dead handler, which exists whenever this object has passed on a dying message. */
  public DeadHandler<T> deadHandler() {
    return Objects.requireNonNull(deadHandler, "deadHandler");
  }

  /**
   * Returns whether a message is above the limit of attempts and its last lease ran out. Such a
   * message may crash its consumers. Other messages above the limit are delivered, and not retried
   * after their next failure: their consumer retried them itself, or the limit was lowered later.
   */
  private boolean isAboveLimit(Reply.Leased message, ClaimLease lease) {
    return message.attempt() > maxAttempts() && unseen(message, lease).followsUnsettledAttempt();
  }

  /**
   * Returns the payload of a message that a caller may receive, or empty for a message that {@link
   * #admit} would settle or pass on. Settles no message. The end of the lease does not matter,
   * because no other consumer receives a message of an at-most-once claim.
   */
  public Optional<T> acceptable(Reply.Leased message, ClaimLease lease) {
    if (isExpired(message, lease)
        || isAboveLimit(message, lease)
        || recurrenceProblem(message, lease).isPresent()) {
      return Optional.empty();
    }
    try {
      return Optional.of(decode(message));
    } catch (Throwable reportedByAdmit) {
      return Optional.empty();
    }
  }

  private boolean isExpired(Reply.Leased message, ClaimLease lease) {
    long now = settling.env().nanoTime();
    return message.content().notAfterMillis() < lease.engineMillis(now);
  }

  private Optional<ClientDelivery<T>> decoded(
      Reply.Leased message, ClaimLease lease, Consumer<Dying<T>> dying) {
    try {
      T payload = decode(message);
      return Optional.of(delivery(message, lease, () -> payload));
    } catch (Throwable e) {
      failed(unseen(message, lease), DeadReason.UNDECODABLE, e, dying);
      return Optional.empty();
    }
  }

  /**
   * Decodes a payload. An {@link Error} of the codec reaches the caller unchanged, because it may
   * be a fault of this process.
   */
  private T decode(Reply.Leased message) {
    try {
      Content content = message.content();
      return Objects.requireNonNull(
          codec.decode(content.payload(), RecurrenceHeaders.ofUser(content.headers())),
          "the codec returned null");
    } catch (Exception e) {
      throw new UndecodableException("The payload can't be decoded", e);
    }
  }

  /** Returns the content of a message, with a new payload instead of the old payload. */
  Content content(Reply.Leased message, T payload) {
    return NewPayload.in(
        message.content(), payload, codec, settling.env().payloadLimit(), settling.queue());
  }

  int maxAttempts() {
    return retries.maxAttempts();
  }

  /**
   * Processes a failed attempt: retries the message if the policy allows a retry. Otherwise passes
   * the message to {@code dying} if the dead handler must receive it, or gives the message up.
   */
  public void failed(ClientDelivery<T> delivery, Throwable failure, Consumer<Dying<T>> dying) {
    failed(delivery, DeadReason.FAILED, failure, dying);
  }

  private void failed(
      ClientDelivery<T> delivery, DeadReason reason, Throwable failure, Consumer<Dying<T>> dying) {
    settling.watch().failed();
    Optional<Duration> delay =
        retries.delayAfter(delivery.attempt(), failure, settling.env(), settling.log());
    if (delay.isPresent()) {
      settled(delivery.retry(delay.get(), FailureLog.describe(failure), failure));
    } else {
      die(delivery, Death.after(reason, failure), dying);
    }
  }

  /**
   * Releases a message that no handler receives, because the executor did not start its task in
   * time. If the lease of the message has expired, also records its loss.
   */
  public void tooLate(ClaimedMessage message) {
    if (message.lease().isOver(settling.env().nanoTime())) {
      tooLate(message.message(), message.lease());
    } else {
      release(message);
    }
  }

  /**
   * Records the loss of a lease that expired before a handler received the message, and releases
   * the message.
   */
  public void tooLate(Reply.Leased message, ClaimLease lease) {
    settle(
        message.id(),
        () -> {
          ClientDelivery<T> unseen = unseen(message, lease);
          unseen.held().lose();
          return unseen.async().release();
        });
  }

  /** Releases a message that no handler has received, without counting the attempt. */
  public void release(ClaimedMessage message) {
    release(message.message(), message.lease());
  }

  /** Releases a message that no handler has received, without counting the attempt. */
  public void release(Reply.Leased message, ClaimLease lease) {
    settle(message.id(), () -> unseen(message, lease).async().release());
  }

  /** Releases a message that no consumer has received, unless it is settled. */
  public void release(ClientDelivery<T> delivery) {
    if (!delivery.isSettled()) {
      settle(delivery.id(), delivery.async()::release);
    }
  }

  /** Releases all messages of a claim. */
  public void releaseAll(Reply.Claimed claimed, ClaimLease lease) {
    claimed.messages().forEach(message -> release(message, lease));
    releaseUnreadable(claimed, lease);
  }

  /** Releases the unreadable entries of a claim. */
  public void releaseUnreadable(Reply.Claimed claimed, ClaimLease lease) {
    for (Reply.Unreadable entry : claimed.unreadable()) {
      settle(entry.id(), () -> unseen(entry, lease).async().release());
    }
  }

  /**
   * Settles a message before any consumer has received it. A failure, such as a lack of memory, is
   * logged, because the other messages of the claim must still be settled.
   */
  private void settle(String id, Supplier<CompletableFuture<?>> settlement) {
    try {
      settled(settlement.get());
    } catch (Throwable e) {
      settling.log().unsettled("settlement", id, e);
    }
  }

  /** Returns a delivery that decodes its payload only when the dead handler reads it. */
  private ClientDelivery<T> unseen(Reply.Leased message, ClaimLease lease) {
    return delivery(message, lease, () -> decode(message));
  }

  private ClientDelivery<T> unseen(Reply.Unreadable entry, ClaimLease lease) {
    byte[] nothing = new byte[0];
    return unseen(new Reply.Leased(entry.id(), Content.of(nothing), 0, 1, nothing), lease);
  }

  private ClientDelivery<T> delivery(Reply.Leased message, ClaimLease lease, Supplier<T> payload) {
    return new ClientDelivery<>(settling, message, payload, lease, this);
  }

  public SettlementContext settling() {
    return settling;
  }

  /** Ignores the future of a settlement, because the delivery itself reports the result. */
  private static void settled(CompletableFuture<?> settlement) {
    CompletableFuture<?> unused = settlement;
  }
}
