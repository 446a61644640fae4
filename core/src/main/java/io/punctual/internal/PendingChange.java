package io.punctual.internal;

import io.punctual.OutcomeUnknownException;
import io.punctual.spi.Operation;
import org.jspecify.annotations.Nullable;

/** A change to one message that has no answer yet, as its caller sees it. */
record PendingChange(QueuePartitions partitions, Operation operation, OutcomeCallback<?> ticket) {
  /** Takes the change back, now or as soon as it is certain that it was not sent. */
  void withdraw() {
    ticket.withdraw();
    partitions.of(operation.id()).session().dropWithdrawn();
  }

  OutcomeUnknownException unanswered(String why, @Nullable Throwable cause) {
    return InFlightCall.unknown(operation, partitions.queue(), why, cause);
  }
}
