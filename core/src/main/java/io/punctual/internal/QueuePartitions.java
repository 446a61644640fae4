package io.punctual.internal;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The partitions of a queue. An id belongs to the partition whose index is the CRC-32C of its UTF-8
 * bytes modulo the number of partitions; stores rely on every client to compute this. {@link
 * PartitionCorrection} replaces the partitions if their number was stale. Thread-safe.
 */
final class QueuePartitions {
  private final String queue;
  private final HandlerLog log;
  private volatile List<PartitionClient> all = List.of();

  QueuePartitions(String queue, HandlerLog log) {
    this.queue = queue;
    this.log = log;
  }

  String queue() {
    return queue;
  }

  /** Returns the log for failures of the queue's messages. */
  HandlerLog log() {
    return log;
  }

  List<PartitionClient> all() {
    return all;
  }

  void become(List<PartitionClient> those) {
    all = List.copyOf(those);
  }

  PartitionClient of(String id) {
    return of(all, id);
  }

  /** Returns the partition of an id, among all partitions of a queue. */
  static PartitionClient of(List<PartitionClient> all, String id) {
    if (all.size() == 1) {
      return all.get(0);
    }
    CRC32C crc = new CRC32C();
    crc.update(id.getBytes(StandardCharsets.UTF_8));
    return all.get((int) (crc.getValue() % all.size()));
  }
}
