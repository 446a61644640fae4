package io.punctual.benchmarks.queue;

import java.util.OptionalDouble;

/** What a queue lives on during a trial: empty when it is opened. */
interface Engine extends AutoCloseable {
  /** Where the processes of the trial find it. */
  String url();

  /** The processor time that it has used; empty when it has no process of its own. */
  OptionalDouble cpuSeconds();

  /** The memory that it uses now; empty when it has no process or keeps messages on disk. */
  OptionalDouble memoryBytes();

  @Override
  void close();

  /** One within the process that uses it. */
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
