package io.punctual.timer;

/** A task that a {@link DueTimer} has yet to run. Safe for use by many threads. */
public interface Timeout {
  /**
   * Prevents the task from running, unless it has started or was cancelled before.
   *
   * @return true for the single call that prevented the task; false if the task has run, is running
   *     or was cancelled before, or if the timer was closed
   */
  boolean cancel();
}
