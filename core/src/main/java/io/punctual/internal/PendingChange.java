package io.punctual.internal;

import io.punctual.OutcomeUnknownException;
import io.punctual.spi.Operation;
import org.jspecify.annotations.Nullable;

/** A change to one message that has no answer yet, as its caller sees it. */
record PendingChange(QueueLanes lanes, Operation operation, OutcomeTicket<?> ticket) {
  /** Takes the change back, now or as soon as it is certain that it was not sent. */
  void withdraw() {
    ticket.withdraw();
    lanes.of(operation.id()).session().dropWithdrawn();
  }

  OutcomeUnknownException unanswered(String why, @Nullable Throwable cause) {
    return Flight.unknown(operation, lanes.queue(), why, cause);
  }
}
