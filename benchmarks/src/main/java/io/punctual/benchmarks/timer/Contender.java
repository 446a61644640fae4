package io.punctual.benchmarks.timer;

/**
 * One timer under measurement, each called the way its users call it.
 *
 * <p>Tasks are whatever the timer takes, made by {@link #task}, so that no adapter is measured.
 * Safe for use by many threads.
 */
public interface Contender extends AutoCloseable {
  /** Makes a task in the timer's own form. */
  Object task(Runnable task);

  /** Schedules a task that {@link #task} made; returns what {@link #cancel} takes. */
  Object schedule(Object task, long delayNanos);

  /** Returns whether that kept the task from running, if the timer tells. */
  boolean cancel(Object timeout);

  @Override
  void close();
}
