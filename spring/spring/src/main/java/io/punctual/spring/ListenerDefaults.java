package io.punctual.spring;

import io.punctual.WorkerOptions;

/**
 * The options of listeners whose annotations leave attributes empty. Implementations are safe for
 * use by many threads.
 */
public interface ListenerDefaults {
  /** {@link WorkerOptions#DEFAULT} for all queues. */
  ListenerDefaults CORE = queue -> WorkerOptions.DEFAULT;

  /** Returns the options for a queue. */
  WorkerOptions options(String queue);

  /** Returns whether the listeners of a queue start with the application; true by default. */
  default boolean autoStartup(String queue) {
    return true;
  }

  /**
   * Changes the options of a worker before it starts. Runs after the annotation's attributes were
   * applied. The default implementation changes nothing.
   *
   * @param listener the listener's id
   */
  default void customize(String listener, String queue, WorkerOptions.Builder options) {}
}
