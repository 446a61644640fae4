package io.punctual.benchmarks.queue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A delayed queue under measurement, used through its public API. Safe for use by many threads,
 * except for opening and closing.
 */
interface QueueContender extends AutoCloseable {
  /** Schedules a message and waits for the reply; returns the argument of {@link #cancel}. */
  Object schedule(BenchMessage message) throws Exception;

  /** Schedules a message without waiting. */
  CompletionStage<?> scheduleAsync(BenchMessage message);

  /**
   * Schedules many messages in the fastest available way. Returns arguments of {@link #cancel}, or
   * none if the contender can't cancel.
   */
  List<?> scheduleAll(List<BenchMessage> messages) throws Exception;

  /** Cancels a message; returns whether the message was still pending. */
  boolean cancel(Object handle) throws Exception;

  /**
   * Called before the schedule of messages that are all due at the same time, {@code time} from
   * now. A contender with a coarse clock holds the messages back until all are due; its trial then
   * measures from the first delivery.
   */
  default void holdBack(Duration time) throws Exception {}

  /**
   * Passes due messages to {@code handler} on up to {@code handlers} threads, until the contender
   * is closed.
   */
  void consume(int handlers, Consumer<byte[]> handler) throws Exception;

  /** Returns the due messages as a blocking queue, if {@link QueueKind#isBlockingQueue}. */
  default BlockingQueue<byte[]> due() {
    throw new UnsupportedOperationException();
  }

  @Override
  void close() throws Exception;
}
