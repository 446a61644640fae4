package io.punctual.internal.session;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Serves a session's state. Its methods run without the lock. */
interface SessionListener {
  /** Pauses the session; calls {@link SessionState#pauseEnded} after this time. */
  void pause(long nanos);

  /** The client's number of partitions is stale. */
  void stalePartitionCount();

  /** Operations wait for the confirmation of their call. */
  void awaitConfirmation(
      UnconfirmedCalls.Unconfirmed call, CompletionStage<@Nullable String> confirmation);
}
