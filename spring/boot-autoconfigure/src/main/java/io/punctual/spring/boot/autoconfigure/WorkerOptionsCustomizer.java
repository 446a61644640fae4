package io.punctual.spring.boot.autoconfigure;

import io.punctual.WorkerOptions;

/** A bean that changes the options of listeners' workers, after the annotation was applied. */
@FunctionalInterface
public interface WorkerOptionsCustomizer {
  /**
   * Changes the options of a worker that is about to start.
   *
   * @param listener the listener's id
   */
  void customize(String listener, String queue, WorkerOptions.Builder options);
}
