package io.punctual.internal.session;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Carries out requests of a {@link SessionState}, without the session's lock. */
interface SessionListener {
  /** Pauses the session for this time, and then calls {@link SessionState#pauseEnded}. */
  void pause(long nanos);

  /** Reports that the client's number of partitions is stale. */
  void stalePartitionCount();

  /** Waits for the confirmation of a call, and then passes it to the session. */
  void awaitConfirmation(
      UnconfirmedCalls.Unconfirmed call, CompletionStage<@Nullable String> confirmation);
}
