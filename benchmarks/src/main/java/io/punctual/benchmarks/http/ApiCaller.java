package io.punctual.benchmarks.http;

import java.io.IOException;

/** The calls of one thread to a queue. For use by one thread. */
interface ApiCaller extends AutoCloseable {
  /** Schedules messages in one call. */
  void schedule(int messages, long delayMillis) throws IOException;

  /**
   * Claims and acknowledges messages that are due, each with the lateness of its arrival here.
   *
   * @return the lateness of each in microseconds
   */
  long[] consume(int most, int waitSeconds) throws IOException;

  /** Deletes the queue with its messages. */
  void delete() throws IOException;

  /** Returns the number of queues whose names begin with a prefix, and reads their counts. */
  int list(String prefix) throws IOException;

  @Override
  void close() throws IOException;
}
