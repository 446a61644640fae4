package io.punctual;

/** The result of asking a worker to pause or to resume. */
public enum PauseWorkerOutcome {
  /**
   * The worker was asked, and obeys within 10 seconds; {@link WorkerInfo#isPausedByOperator} then
   * tells the result. A worker of the same client has obeyed already.
   */
  REQUESTED,
  /** No worker with this id is listed. */
  NOT_FOUND,
  /**
   * The process of the worker runs an earlier version of Punctual, which does not read requests.
   * Pause the queue instead, or update the process.
   */
  NOT_SUPPORTED
}
