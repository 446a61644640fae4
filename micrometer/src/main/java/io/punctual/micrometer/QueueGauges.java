package io.punctual.micrometer;

/** The queues whose messages {@link PunctualMeters} counts. */
public enum QueueGauges {
  /** The queues that a worker of this client has received messages from since its start. */
  LISTENED,
  /** All queues of the store. Enough in a single process, since all processes see the same. */
  ALL,
  /** No queues. */
  NONE
}
