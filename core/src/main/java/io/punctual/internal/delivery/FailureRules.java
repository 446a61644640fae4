package io.punctual.internal.delivery;

import io.punctual.RetryPolicy;
import io.punctual.deadletter.DeadHandler;
import org.jspecify.annotations.Nullable;

/**
 * The rules for failed attempts: the policy that decides whether a message is retried or given up,
 * and the handler of messages that are about to be given up. Immutable.
 *
 * @param deadHandler receives messages before they are given up; null if there is no such handler
 */
public record FailureRules<T>(RetryPolicy policy, @Nullable DeadHandler<T> deadHandler) {
  public static <T> FailureRules<T> defaults() {
    return new FailureRules<>(RetryPolicy.DEFAULT, null);
  }

  public FailureRules<T> withPolicy(RetryPolicy other) {
    return new FailureRules<>(other, deadHandler);
  }

  public FailureRules<T> withDeadHandler(DeadHandler<T> other) {
    return new FailureRules<>(policy, other);
  }
}
