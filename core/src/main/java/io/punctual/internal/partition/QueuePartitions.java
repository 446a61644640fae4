package io.punctual.internal.partition;

import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.HandlerLog;
import io.punctual.spi.Partition;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of a queue. {@link Partition#indexOf} determines the partition of an id. {@link
 * PartitionCorrection} replaces the partitions if their number was stale. Thread-safe.
 */
public final class QueuePartitions {
  private final String queue;
  private final HandlerLog log;
  private final Environment env;
  private final Turns turns = new Turns();
  private volatile List<PartitionClient> all = List.of();
  private volatile @Nullable PartitionCorrection correction;

  public QueuePartitions(String queue, Environment env) {
    this.queue = queue;
    this.env = env;
    log = new HandlerLog(queue, env);
  }

  public String queue() {
    return queue;
  }

  /** Returns the log for failures of the queue's messages. */
  public HandlerLog log() {
    return log;
  }

  /** Returns the order of the changes of the queue's messages. */
  public Turns turns() {
    return turns;
  }

  /** Sets the correction of the number of partitions; called once. */
  public void correctBy(PartitionCorrection its) {
    correction = its;
  }

  public PartitionCorrection correction() {
    return Objects.requireNonNull(correction);
  }

  public List<PartitionClient> all() {
    return all;
  }

  public void become(List<PartitionClient> those) {
    List<PartitionClient> copy = List.copyOf(those);
    ShareMoves moves = new ShareMoves(queue, env);
    copy.forEach(each -> each.onShortClaim(() -> moves.claimWasShort(copy)));
    all = copy;
  }

  public PartitionClient of(String id) {
    return of(all, id);
  }

  /** Returns the partition of an id, among all partitions of a queue. */
  public static PartitionClient of(List<PartitionClient> all, String id) {
    return all.get(Partition.indexOf(id, all.size()));
  }
}
