package io.punctual.benchmarks.timer;

/**
 * A timer under measurement, used through its public API.
 *
 * <p>{@link #task} creates tasks in the timer's own type, so that no adapter is measured. Safe for
 * use by many threads.
 */
public interface Contender extends AutoCloseable {
  /** Creates a task of the timer's own type. */
  Object task(Runnable task);

  /** Schedules a task that {@link #task} created; returns the object to pass to {@link #cancel}. */
  Object schedule(Object task, long delayNanos);

  /** Cancels a task; returns whether that kept the task from running, if the timer reports it. */
  boolean cancel(Object timeout);

  @Override
  void close();
}
