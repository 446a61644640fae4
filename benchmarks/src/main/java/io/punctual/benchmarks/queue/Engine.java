package io.punctual.benchmarks.queue;

import java.util.OptionalDouble;

/** The server or store of a queue during a trial, empty when it is opened. */
interface Engine extends AutoCloseable {
  /** The URL for the processes of the trial. */
  String url();

  /** The processor time used so far; empty if the engine has no process. */
  OptionalDouble cpuSeconds();

  /** The memory in use; empty if the engine has no process or keeps messages on disk. */
  OptionalDouble memoryBytes();

  @Override
  void close();

  /** An engine inside the process that uses it. */
  static Engine within(String url) {
    return new Engine() {
      @Override
      public String url() {
        return url;
      }

      @Override
      public OptionalDouble cpuSeconds() {
        return OptionalDouble.empty();
      }

      @Override
      public OptionalDouble memoryBytes() {
        return OptionalDouble.empty();
      }

      @Override
      public void close() {}
    };
  }
}
