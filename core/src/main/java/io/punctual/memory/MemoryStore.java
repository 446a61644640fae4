package io.punctual.memory;

import io.punctual.DeleteQueueOutcome;
import io.punctual.embedded.UsedByName;
import io.punctual.spi.Capability;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A store in the memory of this process; its messages are lost when the process ends. The reference
 * implementation of the store SPI, for tests, for simulation, and for messages that may be lost
 * with the process.
 *
 * <p>The cost of schedule, cancel and claim hardly depends on the number of pending messages. A
 * page visits every message of its partition, and a count, a forecast and a purge visit every
 * message of the queue, because the store keeps no index for them. They work in small steps, and
 * other callers can run between two steps. A count takes some milliseconds for a million messages.
 * If a million messages are due in the same millisecond, a page takes about a tenth of a second,
 * because the store then compares their ids.
 *
 * <p>A queue without messages, remembered ids, pause and limits takes memory while a client uses
 * it, and later only for its name, until it is deleted.
 *
 * <p>All work runs on the thread of the caller; the store has no threads. Safe for use by many
 * threads.
 */
public final class MemoryStore implements Store {
  /** The largest number of partitions of a queue. */
  public static final int MAX_PARTITIONS = 256;

  private final InstantSource clock;
  private final int partitions;

  private final ExistingQueues existing = new ExistingQueues();
  private final UsedByName<MemoryQueue> queues = new UsedByName<>();

  private volatile boolean closed;

  private MemoryStore(Builder builder) {
    clock = builder.clock;
    partitions = builder.partitions;
  }

  /** Returns a builder of a store with a single partition per queue and the wall clock. */
  public static Builder builder() {
    return new Builder();
  }

  @Override
  public String describe() {
    return "memory:";
  }

  /**
   * Returns all capabilities except {@link Capability#DURABILITY}, {@link Capability#TRANSACTIONS}
   * and {@link Capability#WORKERS}.
   */
  @Override
  public Set<Capability> capabilities() {
    return Collections.unmodifiableSet(
        EnumSet.complementOf(
            EnumSet.of(Capability.DURABILITY, Capability.TRANSACTIONS, Capability.WORKERS)));
  }

  @Override
  public CompletionStage<List<Partition>> partitions(String queue) {
    if (closed) {
      return CompletableFuture.failedStage(isClosed());
    }
    existing.tidy();
    return CompletableFuture.completedStage(List.copyOf(queue(queue).partitions()));
  }

  private MemoryQueue queue(String name) {
    MemoryQueue queue =
        queues.get(name, made -> new MemoryQueue(made, partitions, clock, existing));
    if (closed) {
      queue.close();
    }
    return queue;
  }

  @Override
  public CompletionStage<List<String>> queues() {
    return closed
        ? CompletableFuture.failedStage(isClosed())
        : CompletableFuture.completedStage(existing.names());
  }

  @Override
  public CompletionStage<DeleteQueueOutcome> delete(String queue) {
    if (closed) {
      return CompletableFuture.failedStage(isClosed());
    }
    return CompletableFuture.completedStage(
        existing.has(queue) ? MemoryPartition.delete(queue(queue)) : DeleteQueueOutcome.NOT_FOUND);
  }

  @Override
  public CompletionStage<@Nullable Void> ping() {
    return closed
        ? CompletableFuture.failedStage(isClosed())
        : CompletableFuture.completedStage(null);
  }

  @Override
  public CompletionStage<long[]> untilNext(List<Partition> partitions) {
    try {
      return CompletableFuture.completedStage(
          partitions.stream()
              .mapToLong(partition -> ((MemoryPartition) partition).untilNextMicros())
              .toArray());
    } catch (RuntimeException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  @Override
  public Duration safetyCheckInterval(int partitions) {
    return Duration.ofSeconds(1);
  }

  @Override
  public void close() {
    closed = true;
    queues.all().forEach(MemoryQueue::close);
    existing.clear();
  }

  private static Partition.NotSentException isClosed() {
    return new Partition.NotSentException("The memory store has been closed", null);
  }

  /** Builds a {@link MemoryStore}. Not safe for use by many threads. */
  public static final class Builder {
    private InstantSource clock = InstantSource.system();
    private int partitions = 1;

    private Builder() {}

    /**
     * Sets the store's clock, which decides when messages are due; the system's clock by default.
     * The clock may stop, jump ahead or step back; a step back delays waiting messages by the same
     * time.
     */
    public Builder clock(InstantSource clock) {
      this.clock = clock;
      return this;
    }

    /**
     * Sets the number of partitions of each queue, 1 by default. Use several partitions in tests of
     * code that handles partitions, or if many threads compete for a queue.
     *
     * @throws IllegalArgumentException if the number is not 1 to {@link #MAX_PARTITIONS}
     */
    public Builder partitions(int partitions) {
      if (partitions < 1 || partitions > MAX_PARTITIONS) {
        throw new IllegalArgumentException(
            "partitions must be between 1 and " + MAX_PARTITIONS + ", but was " + partitions);
      }
      this.partitions = partitions;
      return this;
    }

    /** Returns a new, empty store. */
    public MemoryStore build() {
      return new MemoryStore(this);
    }
  }
}
