package io.punctual.timer;

/** A task that a {@link DueTimer} has yet to run. Safe for use by many threads. */
public interface Timeout {
  /**
   * Keeps the task from running, if it has not been started or cancelled yet.
   *
   * @return true for the one call that prevented it; false if it ran, runs, or was cancelled before
   */
  boolean cancel();
}
