package io.punctual.internal.delivery;

import io.punctual.SettleOutcome;
import io.punctual.Settlement;
import io.punctual.deadletter.DeadReason;
import io.punctual.event.Event;
import io.punctual.internal.delivery.Settlements.Step;
import io.punctual.internal.message.Checks;
import io.punctual.internal.message.DeliveryToken;
import io.punctual.internal.message.FailureLog;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.Events;
import io.punctual.internal.runtime.HandlerLog;
import io.punctual.spi.Content;
import io.punctual.spi.Entry;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Settlement} without a delivery, as an operation of the store. Immutable.
 *
 * @param operation the operation
 * @param token the token of the settlement
 * @param done creates the event of a settlement that took effect, or null for an extension
 * @param reason the reason of a burial, or null for other settlements
 */
public record TokenSettlement(
    Operation.Settlement operation,
    DeliveryToken token,
    @Nullable Supplier<Event> done,
    @Nullable String reason) {

  /**
   * Returns whether the settlement depends on stored parts of the message, so that {@link #of}
   * needs its entry.
   */
  public static boolean needsEntry(Settlement settlement) {
    DeliveryToken token = DeliveryToken.parse(settlement.receipt().token());
    if (settlement instanceof Settlement.Retry || settlement instanceof Settlement.Bury) {
      return token.hasRules() || token.hasFailures();
    }
    return token.hasRules()
        && (settlement instanceof Settlement.Ack || settlement instanceof Settlement.Defer);
  }

  /**
   * Creates the operation of a settlement.
   *
   * @param entry the message, or null if the settlement does not need it or the id is not in use
   * @throws io.punctual.RecurrenceException if the next occurrence can't be computed
   */
  public static TokenSettlement of(
      String queue, Settlement settlement, @Nullable Entry entry, Environment env) {
    DeliveryToken token = DeliveryToken.parse(settlement.receipt().token());
    Reply.Leased message = leased(settlement.id(), token, entry);
    FailureLog failures = FailureLog.of(message.history());
    Settlements settlements =
        new Settlements(
            queue,
            message,
            token.fencingToken(),
            failures,
            Occurrence.of(message, failures, env.recurrences()));
    return of(settlement, token, settlements, now(entry, env));
  }

  private static TokenSettlement of(
      Settlement settlement, DeliveryToken token, Settlements settlements, Instant now) {
    if (settlement instanceof Settlement.Extend extend) {
      long leaseMillis = Checks.lease(extend.lease());
      return new TokenSettlement(
          new Operation.Extend(extend.id(), token.fencingToken(), leaseMillis), token, null, null);
    }
    Step step = step(settlement, settlements, now);
    String reason = settlement instanceof Settlement.Bury bury ? bury.reason() : null;
    return new TokenSettlement(step.operation(), token, step.done(), reason);
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
    }
    return settlements.release();
  }

  private static Reply.Leased leased(String id, DeliveryToken token, @Nullable Entry entry) {
    Content content = entry == null ? null : entry.content();
    return new Reply.Leased(
        id,
        content == null ? Content.of(new byte[0]) : content,
        entry == null ? 0 : entry.dueMillis(),
        token.attempt(),
        entry == null ? new byte[0] : entry.history());
  }

  /**
   * Returns an estimate of the store's clock: the local clock. If the lease of the message is
   * known, the result is not before the message's due time, and not after the end of the lease.
   */
  private static Instant now(@Nullable Entry entry, Environment env) {
    Instant local = env.clock().instant();
    if (entry == null || entry.leasedUntilMillis() == 0) {
      return local;
    }
    long millis = Math.min(local.toEpochMilli(), entry.leasedUntilMillis());
    return Instant.ofEpochMilli(Math.max(millis, entry.dueMillis()));
  }

  /** Reports the outcome of the operation to the observers and the log. */
  public void report(SettleOutcome outcome, String queue, Events events, HandlerLog log) {
    if (outcome == SettleOutcome.DISCARDED) {
      events.publish(() -> new Event.MessageDiscarded(queue, operation.id(), token.attempt()));
    } else if (outcome == SettleOutcome.DONE && done != null) {
      events.publish(done);
      if (reason != null) {
        log.deadLetter(operation.id(), token.attempt(), DeadReason.BY_CALLER, reason, null);
      }
    }
  }
}
