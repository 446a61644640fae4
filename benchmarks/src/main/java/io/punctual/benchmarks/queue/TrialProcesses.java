package io.punctual.benchmarks.queue;

import io.punctual.benchmarks.Child;
import java.io.IOException;
import java.time.Duration;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The processes of a trial: a consumer and a producer, or a process that does both. Not safe for
 * use by many threads.
 */
final class TrialProcesses implements AutoCloseable {
  private static final long PAUSE_MILLIS = 20;

  private final Orders orders;
  private @Nullable Child consumer;
  private @Nullable Child producer;

  /** The number of messages of the warm-up, after {@link #awaitFilled}. */
  private long warmUpCount;

  TrialProcesses(Orders orders) {
    this.orders = orders;
  }

  static Child start(String role, Orders orders) throws IOException {
    return orders.kind().isInNode()
        ? BullMqProcess.start(role, orders)
        : Child.start(QueueChild.class, orders.jvmOptions(), role, orders.word());
  }

  /**
   * Starts the consumer and, when it is ready, the producer. If processes can't share the queue,
   * starts a single process that does both.
   */
  void start() throws IOException {
    boolean apart = orders.kind().isShared();
    Child child = start(apart ? "consume" : "both", orders);
    consumer = child;
    String unused = child.expect();
    producer = apart ? start("produce", orders) : null;
  }

  /** Waits until the backlog is scheduled and the warm-up is over. */
  void awaitFilled() throws IOException {
    warmUpCount = Long.parseLong(producing().expect().substring(Producer.FILLED.length()));
  }

  /** Waits until all messages are scheduled, after {@link #awaitFilled}. */
  void awaitProduced() throws IOException {
    String unused = producing().expect();
  }

  private Child producing() {
    Child child = producer == null ? consumer : producer;
    if (child == null) {
      throw new IllegalStateException("No process was started");
    }
    return child;
  }

  void killConsumer() throws InterruptedException {
    if (consumer != null) {
      consumer.kill();
    }
  }

  /**
   * Waits until {@code count} messages have been delivered, or no delivery has happened for {@code
   * silence}. Cuts the wait short after {@code patience}.
   *
   * @return the time at which the wait was cut short, in microseconds from 1970; empty if it was
   *     not
   */
  OptionalLong awaitDelivered(TrialFolder folder, long count, Duration silence, Duration patience)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    long seen = -1;
    long since = start;
    while (System.nanoTime() - since < silence.toNanos()) {
      long now = MessageLog.count(folder.delivered());
      if (now >= count + warmUpCount && isComplete(folder, count)) {
        return OptionalLong.empty();
      }
      if (System.nanoTime() - start > patience.toNanos()) {
        return OptionalLong.of(WallClock.micros());
      }
      if (now != seen) {
        seen = now;
        since = System.nanoTime();
      }
      Thread.sleep(PAUSE_MILLIS);
    }
    return OptionalLong.empty();
  }

  /**
   * Returns whether {@code count} measured messages are delivered. The log also contains messages
   * of the backlog and the warm-up.
   */
  private static boolean isComplete(TrialFolder folder, long count) throws IOException {
    return MessageLog.read(folder.delivered()).stream()
            .mapToLong(MessageLog.Row::number)
            .filter(Producer::isCounted)
            .distinct()
            .count()
        >= count;
  }

  @Override
  public void close() throws IOException, InterruptedException {
    if (producer != null) {
      producer.close();
    }
    if (consumer != null) {
      consumer.close();
    }
  }
}
