package io.punctual.internal.delivery;

import io.punctual.Codec;
import io.punctual.SettleOutcome;
import io.punctual.Settlement;
import io.punctual.State;
import io.punctual.deadletter.DeadReason;
import io.punctual.event.Event;
import io.punctual.internal.delivery.Settlements.Step;
import io.punctual.internal.message.Checks;
import io.punctual.internal.message.DeliveryToken;
import io.punctual.internal.message.FailureLog;
import io.punctual.internal.message.NewPayload;
import io.punctual.spi.Content;
import io.punctual.spi.Entry;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Settlement} without a delivery, as an operation of the store. Immutable.
 *
 * @param operation the operation
 * @param attempt the number of the delivery
 * @param step the settlement, or null for an extension
 */
public record ReceiptSettlement(
    Operation.Settlement operation, int attempt, @Nullable Step step, SettlementContext settling) {

  /**
   * Returns whether the settlement depends on stored parts of the message, so that {@link #of}
   * needs its entry.
   */
  public static boolean needsEntry(Settlement settlement) {
    DeliveryToken token = DeliveryToken.parse(settlement.receipt().token());
    if (settlement instanceof Settlement.Retry || settlement instanceof Settlement.Bury) {
      return token.hasRules() || token.hasFailures();
    } else if (settlement instanceof Settlement.Release
        || settlement instanceof Settlement.Extend) {
      return false;
    }
    return token.hasRules()
        || settlement instanceof Settlement.Fail
        || (settlement instanceof Settlement.Repeat repeat && repeat.payload().isPresent());
  }

  /**
   * Creates the operation of a settlement.
   *
   * @param entry the message, or null if the settlement does not need it or the id is not in use
   * @param settling the context of the settlement
   * @param codec encodes a new payload
   * @throws io.punctual.RecurrenceException if the next occurrence can't be computed
   * @throws IllegalArgumentException if the codec can't encode the new payload, or the payload is
   *     too large
   */
  public static ReceiptSettlement of(
      Settlement settlement, @Nullable Entry entry, SettlementContext settling, Codec<?> codec) {
    DeliveryToken token = DeliveryToken.parse(settlement.receipt().token());
    if (settlement instanceof Settlement.Extend extend) {
      long leaseMillis = Checks.lease(extend.lease());
      return new ReceiptSettlement(
          new Operation.Extend(extend.id(), token.fencingToken(), leaseMillis),
          token.attempt(),
          null,
          settling);
    }
    Reply.Leased message = leased(settlement.id(), token, entry);
    FailureLog failures = FailureLog.of(message.history());
    Settlements settlements =
        new Settlements(
            settling.queue(),
            message,
            token.fencingToken(),
            failures,
            Occurrence.of(message, failures, settling.env().recurrences()));
    Instant now = now(entry, settling);
    Step step =
        settlement instanceof Settlement.Fail fail
            ? failed(fail, settlements, settling, now)
            : settlement instanceof Settlement.Repeat repeat
                ? repeated(repeat, settlements, settling, codec)
                : step(settlement, settlements, now);
    return new ReceiptSettlement(step.operation(), message.attempt(), step, settling);
  }

  private static Step step(Settlement settlement, Settlements settlements, Instant now) {
    if (settlement instanceof Settlement.Ack) {
      return settlements.processed(now);
    } else if (settlement instanceof Settlement.Retry retry) {
      return settlements.retry(retry.delay(), retry.reason(), null, now);
    } else if (settlement instanceof Settlement.Defer defer) {
      return settlements.defer(defer.delay());
    } else if (settlement instanceof Settlement.Bury bury) {
      return settlements.bury(Death.byCaller(bury.reason()), now);
    } else if (settlement instanceof Settlement.EndRecurrence) {
      return settlements.removed();
    }
    return settlements.release();
  }

  /**
   * Returns the step after a failed attempt.
   *
   * @throws io.punctual.RecurrenceException if the next occurrence can't be computed, for example
   *     because this process does not know its kind; a dead letter would end the recurrence
   */
  private static Step failed(
      Settlement.Fail fail, Settlements settlements, SettlementContext settling, Instant now) {
    Throwable failure = fail.failure();
    Optional<Duration> delay =
        RetryRule.of(fail.policy())
            .delayAfter(settlements.message().attempt(), failure, settling.env(), settling.log());
    return delay.isPresent()
        ? settlements.retry(delay.get(), FailureLog.describe(failure), failure, now)
        : settlements.giveUp(Death.after(DeadReason.FAILED, failure), now);
  }

  private static Step repeated(
      Settlement.Repeat repeat,
      Settlements settlements,
      SettlementContext settling,
      Codec<?> codec) {
    Content content =
        repeat.payload().isEmpty()
            ? null
            : content(settlements.message(), repeat.payload().get(), settling, codec);
    return settlements.repeat(repeat.due(), content);
  }

  @SuppressWarnings("unchecked") // A payload of another type is reported as such.
  private static <T> Content content(
      Reply.Leased message, Object payload, SettlementContext settling, Codec<T> codec) {
    try {
      int limit = settling.env().payloadLimit();
      return NewPayload.in(message.content(), (T) payload, codec, limit, settling.queue());
    } catch (ClassCastException e) {
      throw new IllegalArgumentException(
          "The new payload of '"
              + message.id()
              + "' is of "
              + payload.getClass()
              + ", which is not the type of the payloads of queue '"
              + settling.queue()
              + "'",
          e);
    }
  }

  private static Reply.Leased leased(String id, DeliveryToken token, @Nullable Entry entry) {
    Content content = entry == null ? null : entry.content();
    return new Reply.Leased(
        id,
        content == null ? Content.of(new byte[0]) : content,
        entry == null ? 0 : entry.dueMillis(),
        entry != null && entry.state() == State.LEASED && entry.attempts() > 0
            ? entry.attempts()
            : token.attempt(),
        entry == null ? new byte[0] : entry.history());
  }

  /**
   * Returns an estimate of the store's clock: the local clock. If the lease of the message is
   * known, the result is not before the message's due time, and not after the end of the lease.
   */
  private static Instant now(@Nullable Entry entry, SettlementContext settling) {
    Instant local = settling.env().clock().instant();
    if (entry == null || entry.leasedUntilMillis() == 0) {
      return local;
    }
    long millis = Math.min(local.toEpochMilli(), entry.leasedUntilMillis());
    return Instant.ofEpochMilli(Math.max(millis, entry.dueMillis()));
  }

  /**
   * Reports the outcome of the operation to the observers, the log, and the isolation: this client
   * may hold the delivery, as a server does whose clients settle by receipts.
   */
  public void report(SettleOutcome outcome) {
    if (operation instanceof Operation.Extend extend && outcome != SettleOutcome.LEASE_LOST) {
      long until = settling.env().nanoTime() + TimeUnit.MILLISECONDS.toNanos(extend.leaseMillis());
      settling.isolation().extended(operation.id(), operation.token(), until);
    } else {
      settling.isolation().left(operation.id(), operation.token());
    }
    if (outcome == SettleOutcome.DISCARDED) {
      settling
          .env()
          .events()
          .publish(() -> new Event.MessageDiscarded(settling.queue(), operation.id(), attempt));
    } else if (outcome == SettleOutcome.DONE && step != null) {
      settling.env().events().publish(step.done());
      step.line().accept(settling.log());
    }
  }
}
