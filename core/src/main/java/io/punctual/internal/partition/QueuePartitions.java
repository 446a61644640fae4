package io.punctual.internal.partition;

import io.punctual.internal.runtime.HandlerLog;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The partitions of a queue. An id belongs to the partition whose index is the CRC-32C of its UTF-8
 * bytes modulo the number of partitions; stores rely on this computation by every client. {@link
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
    if (all.size() == 1) {
      return all.get(0);
    }
    CRC32C crc = new CRC32C();
    crc.update(id.getBytes(StandardCharsets.UTF_8));
    return all.get((int) (crc.getValue() % all.size()));
  }
}
