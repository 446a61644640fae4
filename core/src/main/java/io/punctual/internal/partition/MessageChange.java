package io.punctual.internal.partition;

import io.punctual.Durability;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.runtime.OperationFailures;
import io.punctual.internal.session.OperationCallback;
import io.punctual.spi.Operation;
import org.jspecify.annotations.Nullable;

/** A change to one message, and its future outcome. Thread-safe. */
public interface MessageChange<R> extends Awaited<R> {
  QueuePartitions partitions();

  Operation operation();

  /** Returns the receiver of the outcome, which completes {@link #answer}. */
  OperationCallback callback();

  /** Marks the operation as withdrawn, so that it fails if it was not sent yet. */
  void markWithdrawn();

  default void submit(@Nullable Durability durability) {
    partitions().of(operation().id()).session().submit(operation(), durability, callback());
  }

  @Override
  default void withdraw() {
    markWithdrawn();
    partitions().of(operation().id()).session().endWithdrawn();
  }

  @Override
  default RuntimeException unanswered(String why, @Nullable Throwable cause) {
    return OperationFailures.outcomeUnknown(operation(), partitions().queue(), why, cause);
  }
}
