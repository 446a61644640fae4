package io.punctual.kit.simulation;

/** Tells all sources of faults whether faults are still allowed. Not thread-safe. */
final class FaultSchedule {
  private boolean fair;

  boolean isFair() {
    return fair;
  }

  /** Forbids faults from now on. */
  void clear() {
    fair = true;
  }
}
