package io.punctual.internal.delivery;

import io.punctual.deadletter.DeadReason;
import io.punctual.internal.message.FailureLog;
import io.punctual.spi.Reply;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The reason why a message is given up: it becomes a dead letter, or its next occurrence follows.
 *
 * @param detail the details of the reason, for users
 * @param failure the exception of the last attempt, or null if there is no exception
 * @param thrown the exception of the dead handler, or null if it has thrown none
 */
public record Death(
    DeadReason reason, String detail, @Nullable Throwable failure, @Nullable Throwable thrown) {
  /** A death without an exception. */
  static Death of(DeadReason reason, String detail) {
    return new Death(reason, detail, null, null);
  }

  /** The death of a message that its consumer buries. */
  static Death byCaller(String reason) {
    return of(DeadReason.BY_CALLER, Objects.requireNonNull(reason, "reason"));
  }

  /** The death after a failed attempt. */
  static Death after(DeadReason reason, Throwable failure) {
    return new Death(reason, FailureLog.describe(failure), failure, null);
  }

  /** The death of a message that no consumer received in time. */
  static Death expired(Reply.Leased message) {
    String notAfter = message.content().notAfter().map(Instant::toString).orElse("");
    return of(DeadReason.EXPIRED, "no worker received it until " + notAfter);
  }

  /** The death of a message whose leases ran out more often than this limit. */
  static Death workersDied(Reply.Leased message, int maxAttempts) {
    int unsettled = Math.max(1, message.attempt() - 1 - FailureLog.of(message.history()).total());
    String detail =
        String.format(
            Locale.ROOT,
            "attempt %d, limit %d: %d %s ran out without a settlement",
            message.attempt(),
            maxAttempts,
            unsettled,
            unsettled == 1 ? "lease" : "leases");
    return of(DeadReason.WORKERS_DIED, detail);
  }

  /** Returns this death with the exception of the dead handler. */
  public Death withThrown(@Nullable Throwable ofHandler) {
    return new Death(reason, detail, failure, ofHandler);
  }
}
