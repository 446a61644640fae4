package io.punctual.spi;

import io.punctual.PauseNote;
import java.util.List;

/**
 * The counts of a queue.
 *
 * @param partitions the number of partitions
 * @param counts the sums of all partitions
 */
public record QueueCounts(int partitions, PartitionCounts counts) {
  /**
   * Returns the sums of a queue's partitions. The queue is paused if a partition is paused; its
   * note is the first note that is not empty. Its overdue time is the longest overdue time of a
   * partition. Its limits are the limits of the first partition.
   *
   * @param counts the counts of each partition, by index; at least one
   */
  public static QueueCounts sum(List<PartitionCounts> counts) {
    PartitionCounts sum =
        new PartitionCounts(
            counts.stream().mapToLong(PartitionCounts::scheduled).sum(),
            counts.stream().mapToLong(PartitionCounts::ready).sum(),
            counts.stream().mapToLong(PartitionCounts::leased).sum(),
            counts.stream().mapToLong(PartitionCounts::dead).sum(),
            counts.stream().mapToLong(PartitionCounts::finished).sum(),
            counts.stream().anyMatch(PartitionCounts::paused),
            counts.stream()
                .map(PartitionCounts::pauseNote)
                .filter(note -> !note.equals(PauseNote.NONE))
                .findFirst()
                .orElse(PauseNote.NONE),
            counts.get(0).limits(),
            counts.stream().mapToLong(PartitionCounts::overdueMillis).max().orElse(0));
    return new QueueCounts(counts.size(), sum);
  }
}
