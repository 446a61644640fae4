package io.punctual.micrometer;

/** The queues whose messages {@link PunctualMeters} counts. */
public enum QueueGauges {
  /**
   * The queues for which this client has started a worker, even if the worker has stopped since.
   */
  LISTENED,
  /**
   * All queues of the store. Choose this in one process only: all processes would report the same
   * counts.
   */
  ALL,
  /** No queues. */
  NONE
}
