package io.punctual.internal.task;

import io.punctual.internal.partition.PartitionClient;
import io.punctual.internal.queue.QueueView;
import io.punctual.spi.Entry;
import io.punctual.spi.Partition;
import io.punctual.spi.TimeRange;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The way of a task through the listings of a queue: partition by partition, and in each partition
 * in one direction of time. For one step at a time.
 */
public final class PartitionVisit {
  private final QueueView<?> view;
  private final boolean newestFirst;

  /** The number of partitions; 0 before the first page. */
  private int partitions;

  private int partition;

  /** The time at which the visit of the partition begins. */
  private long begin;

  private @Nullable String cursor;

  /** The partition of the last page. */
  private int pagePartition;

  /** The time in {@link #partition} that the last page has reached. */
  private long reachedMillis;

  /**
   * Creates a visit.
   *
   * @param after the position at which the visit begins, or empty for the whole queue
   * @throws IllegalArgumentException if the position is not from a task of this queue
   */
  public PartitionVisit(QueueView<?> view, boolean newestFirst, Optional<String> after) {
    this.view = view;
    this.newestFirst = newestFirst;
    this.begin = start();
    after
        .map(TaskPosition::parse)
        .ifPresent(
            position -> {
              partitions = position.partitions();
              partition = position.partition();
              begin = position.timeMillis();
            });
    pagePartition = partition;
    reachedMillis = begin;
  }

  private long start() {
    return newestFirst ? Long.MAX_VALUE : Long.MIN_VALUE;
  }

  /**
   * Returns the partition of the next page, or null after the last partition.
   *
   * @throws IllegalArgumentException if the queue has a different number of partitions than at the
   *     begin of the visit
   */
  public @Nullable Partition partition() {
    List<PartitionClient> all = view.partitions().all();
    if (partitions == 0) {
      partitions = all.size();
    }
    if (partitions != all.size()) {
      throw new IllegalArgumentException(
          "Queue '"
              + view.queue()
              + "' has "
              + all.size()
              + " partitions, but the task began with "
              + partitions
              + ": the queue was deleted and created again. Start a task without a position");
    }
    return isOver() ? null : all.get(partition).partition();
  }

  /** Returns whether the last partition was visited. */
  public boolean isOver() {
    return partitions > 0 && partition >= partitions;
  }

  /** Returns the part of a range that is left in the partition. */
  public TimeRange rest(TimeRange range) {
    if (begin == start()) {
      return range;
    }
    return newestFirst
        ? new TimeRange(range.fromMillis(), Math.min(range.toMillis(), begin + 1))
        : new TimeRange(Math.max(range.fromMillis(), begin), range.toMillis());
  }

  /** Returns the cursor of the next page in the partition, or null for the first page. */
  public @Nullable String cursor() {
    return cursor;
  }

  /**
   * Notes a page of the partition.
   *
   * @param next the partition's cursor after the page, or null after its last page
   * @param time returns the time that orders the messages
   */
  public void hasRead(@Nullable String next, List<Entry> entries, ToLongFunction<Entry> time) {
    pagePartition = partition;
    if (next == null) {
      endPartition();
    } else {
      cursor = next;
      if (!entries.isEmpty()) {
        reachedMillis = time.applyAsLong(entries.get(entries.size() - 1));
      }
    }
  }

  /** Moves on to the next partition. */
  public void endPartition() {
    pagePartition = partition;
    partition++;
    cursor = null;
    begin = start();
    reachedMillis = begin;
  }

  /** Returns the position after the last page. */
  public TaskPosition position() {
    return new TaskPosition(partition, partitions, reachedMillis);
  }

  /** Returns the position before a message of the last page. */
  public TaskPosition position(Target target) {
    return new TaskPosition(pagePartition, partitions, target.timeMillis());
  }
}
