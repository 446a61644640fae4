package io.punctual.internal.delivery;

import io.punctual.DeadReason;
import io.punctual.internal.message.FailureLog;
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

  /** Returns this death with the exception of the dead handler. */
  public Death withThrown(@Nullable Throwable ofHandler) {
    return new Death(reason, detail, failure, ofHandler);
  }
}
