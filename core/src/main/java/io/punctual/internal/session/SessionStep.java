package io.punctual.internal.session;

import io.punctual.spi.Call;
import org.jspecify.annotations.Nullable;

/** The next action of a session, which runs without the session's lock. */
sealed interface SessionStep {
  /** Opens a session for this state. */
  record Open(SessionState of, String session, @Nullable String replaces) implements SessionStep {}

  /** Sends a call of this state. */
  record Send(SessionState of, InFlightCall inFlight, Call call) implements SessionStep {}

  /** Submits an operation to the session of another partition. */
  record HandOver(Pending.OfOperation operation, PartitionSession to) implements SessionStep {}

  /** Lets the partition forget the session. */
  record Forget(String session) implements SessionStep {}
}
