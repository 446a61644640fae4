package io.punctual.harness.simulation;

/** Whether there is trouble, for everything that makes some. Not thread-safe. */
final class FaultSchedule {
  private boolean fair;

  boolean isFair() {
    return fair;
  }

  /** Ends all trouble. */
  void clear() {
    fair = true;
  }
}
