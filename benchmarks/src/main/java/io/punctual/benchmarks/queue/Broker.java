package io.punctual.benchmarks.queue;

import java.sql.SQLException;
import java.util.OptionalDouble;

/** The server or store of a queue during a trial, empty when it is opened. */
interface Broker extends AutoCloseable {
  /** The URL for the processes of the trial. */
  String url();

  /** The processor time used so far; empty if the broker has no process. */
  OptionalDouble cpuSeconds();

  /** The memory in use; empty if the broker has no process or is a database. */
  OptionalDouble memoryBytes();

  /** The size of all tables and indexes; empty if the broker is no database. */
  default OptionalDouble tableBytes() throws SQLException {
    return OptionalDouble.empty();
  }

  @Override
  void close();

  /** A store inside the process that uses it. */
  static Broker within(String url) {
    return new Broker() {
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
