package io.punctual.harness.simulation;

/** Tells all sources of faults whether faults are still allowed. Not thread-safe. */
final class FaultSchedule {
  private boolean fair;

  boolean isFair() {
    return fair;
  }

  /** Ends all faults. */
  void clear() {
    fair = true;
  }
}
