package io.punctual.spring;

import io.punctual.WorkerOptions;

/**
 * The options of listeners for attributes that annotations leave empty. Implementations are safe
 * for use by many threads.
 */
public interface ListenerDefaults {
  /** The defaults of the core. */
  ListenerDefaults CORE = queue -> WorkerOptions.DEFAULT;

  /** Returns the options for a queue. */
  WorkerOptions options(String queue);

  /** Returns whether the listeners of a queue start with the application; true by default. */
  default boolean autoStartup(String queue) {
    return true;
  }

  /**
   * Changes the options of a worker before it starts, after the annotation's attributes were
   * applied; by default nothing.
   *
   * @param listener the listener's id
   */
  default void customize(String listener, String queue, WorkerOptions.Builder options) {}
}
