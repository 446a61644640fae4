package io.punctual.internal;

import io.punctual.spi.Operation;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes of a client's schedules that wait for the store, over all of its queues. Their number
 * alone does not bound the memory that they take. Thread-safe.
 */
public final class Backlog {
  private static final long MOST_BY_DEFAULT = 256L << 20;

  private final long limit;
  private final AtomicLong bytes = new AtomicLong();

  /** Creates a backlog that is full at this many bytes. */
  public Backlog(long limit) {
    this.limit = limit;
  }

  /** Returns an eighth of the largest heap, and 256 MiB at most. */
  public static long defaultLimit() {
    return Math.min(MOST_BY_DEFAULT, Runtime.getRuntime().maxMemory() / 8);
  }

  boolean isFull() {
    return bytes.get() >= limit;
  }

  long bytes() {
    return bytes.get();
  }

  void add(Operation operation) {
    bytes.addAndGet(bytesOf(operation));
  }

  void remove(Operation operation) {
    bytes.addAndGet(-bytesOf(operation));
  }

  /** Only schedules hold a payload. */
  private static long bytesOf(Operation operation) {
    return operation instanceof Operation.Schedule schedule
        ? schedule.content().approximateBytes()
        : 0;
  }
}
