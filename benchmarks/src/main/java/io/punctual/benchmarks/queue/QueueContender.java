package io.punctual.benchmarks.queue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A delayed queue under measurement, each called the way its users call it. Safe for use by many
 * threads, except for opening and closing.
 */
interface QueueContender extends AutoCloseable {
  /** Schedules one and waits for the answer; returns what {@link #cancel} takes. */
  Object schedule(Entry entry) throws Exception;

  /** Schedules one without waiting. */
  CompletionStage<?> scheduleAsync(Entry entry);

  /** Schedules many in the quickest way that there is; returns what {@link #cancel} takes. */
  List<?> scheduleAll(List<Entry> entries) throws Exception;

  /** Cancels one. */
  boolean cancel(Object handle) throws Exception;

  /**
   * Told before messages are scheduled that are all due then: one that cannot be that exact keeps
   * them until all are, and is timed from the first that it hands over.
   */
  default void holdBack(Duration time) throws Exception {}

  /** Hands what is due to {@code handler} on that many threads, until the contender is closed. */
  void consume(int handlers, Consumer<byte[]> handler) throws Exception;

  @Override
  void close() throws Exception;
}
