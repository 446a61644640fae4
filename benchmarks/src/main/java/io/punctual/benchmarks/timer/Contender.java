package io.punctual.benchmarks.timer;

/**
 * A timer under measurement, used through its public API.
 *
 * <p>{@link #task} creates a task outside of the measurement, in the timer's own type if the timer
 * can schedule a task of this type more than once. Safe for use by many threads.
 */
public interface Contender extends AutoCloseable {
  /** Creates a task for {@link #schedule}. */
  Object task(Runnable task);

  /** Schedules a task that {@link #task} created; returns the object to pass to {@link #cancel}. */
  Object schedule(Object task, long delayNanos);

  /**
   * Cancels a task; returns whether that kept the task from running, or true if the timer does not
   * report it.
   */
  boolean cancel(Object timeout);

  @Override
  void close();
}
