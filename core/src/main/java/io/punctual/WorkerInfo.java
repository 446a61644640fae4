package io.punctual;

import java.time.Instant;
import java.util.Optional;

/** A worker of any process, as {@link Punctual#workers} lists it. Immutable. */
public interface WorkerInfo {
  /** Returns the id of the worker, which no other worker of the store has; up to 64 characters. */
  String id();

  /** Returns the name of the worker; see {@link WorkerOptions#name()}. */
  String name();

  /** Returns the name of the worker's queue. */
  String queue();

  /** Returns how many calls of the worker's handler may run at once. */
  int concurrency();

  /** Returns whether the worker is paused, by its process or by an operator. */
  boolean isPaused();

  /** Returns whether an operator has paused the worker with {@link Punctual#pauseWorker}. */
  boolean isPausedByOperator();

  /** Returns the name of the host, or "unknown". */
  String host();

  /** Returns the id of the process on its host, or 0 if it is not known. */
  long pid();

  /** Returns the version of Punctual, or "unknown". */
  String version();

  /** Returns the start of the worker, by the clock of its process. */
  Instant startedAt();

  /** Returns the time at which the process last renewed its entry, by the store's clock. */
  Instant lastSeenAt();

  /**
   * Returns the figures of the worker, as of {@link #lastSeenAt}. Empty if an earlier version of
   * Punctual runs the worker, or if its process has so many workers that their figures don't fit
   * into its entry of 256 KiB: about 1,000 busy workers.
   */
  Optional<WorkerFigures> figures();
}
