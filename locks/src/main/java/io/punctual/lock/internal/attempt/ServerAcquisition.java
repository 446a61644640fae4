package io.punctual.lock.internal.attempt;

import io.punctual.lock.internal.client.FailureTracker;

/** An attempt to acquire a lock on one server. Thread-safe. */
public interface ServerAcquisition extends PendingAcquisition {
  /** Returns the failures of the requests that the result of this attempt depends on. */
  FailureTracker failures();
}
