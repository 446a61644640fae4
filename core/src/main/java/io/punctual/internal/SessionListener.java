package io.punctual.internal;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Serves a session's state. All methods except {@link #isFailing} run without the lock. */
interface SessionListener {
  /** Pauses; {@link SessionState#pauseEnded} comes after this time. */
  void pause(long nanos);

  /** Returns whether a failure was the last thing that the listener heard of the partition. */
  boolean isFailing();

  /** The partition failed. */
  void failing(Throwable failure);

  /** The partition answers again. */
  void healthy();

  /** The number of partitions that the client believes in is stale. */
  void stalePartitionCount();

  /** Operations wait for the confirmation of their call. */
  void awaitConfirmation(
      UnconfirmedCalls.Unconfirmed call, CompletionStage<@Nullable String> confirmation);
}
