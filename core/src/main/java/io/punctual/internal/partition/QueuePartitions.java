package io.punctual.internal.partition;

import io.punctual.internal.runtime.HandlerLog;
import io.punctual.spi.Partition;
import java.util.List;

/**
 * The partitions of a queue. {@link Partition#indexOf} determines the partition of an id. {@link
 * PartitionCorrection} replaces the partitions if their number was stale. Thread-safe.
 */
public final class QueuePartitions {
  private final String queue;
  private final HandlerLog log;
  private volatile List<PartitionClient> all = List.of();

  public QueuePartitions(String queue, HandlerLog log) {
    this.queue = queue;
    this.log = log;
  }

  public String queue() {
    return queue;
  }

  /** Returns the log for failures of the queue's messages. */
  public HandlerLog log() {
    return log;
  }

  public List<PartitionClient> all() {
    return all;
  }

  public void become(List<PartitionClient> those) {
    all = List.copyOf(those);
  }

  public PartitionClient of(String id) {
    return of(all, id);
  }

  /** Returns the partition of an id, among all partitions of a queue. */
  public static PartitionClient of(List<PartitionClient> all, String id) {
    return all.get(Partition.indexOf(id, all.size()));
  }
}
