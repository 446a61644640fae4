package io.punctual.internal;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Receives what a session's state asks for. All but {@link #isFailing} run without the lock. */
interface SessionListener {
  /** Pauses; {@link SessionState#pauseEnded} comes after this time. */
  void pause(long nanos);

  /** Returns whether a failure was the last thing that the listener heard of the partition. */
  boolean isFailing();

  /** The partition failed. */
  void failing(Throwable failure);

  /** The partition answers again. */
  void healthy();

  /** The queue has another number of partitions than the client believes. */
  void stalePartitionCount();

  /** Operations wait for the confirmation of their call. */
  void awaitConfirmation(
      UnconfirmedCalls.Unconfirmed call, CompletionStage<@Nullable String> confirmation);
}
