package io.punctual.internal.client;

import io.punctual.DeadLetterOutcome;
import io.punctual.State;
import io.punctual.internal.runtime.AsyncLoop;
import io.punctual.spi.Entry;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Redrives the dead letters of a queue, partition by partition, the oldest dead letter of a
 * partition first. Dead letters that a partition receives after it was counted may stay. It works
 * in bounded steps, which run in sequence on any thread.
 */
final class RedriveAll {
  private static final int STEP = 1000;
  private static final long UNCOUNTED = -1;

  private final QueueView<?> view;
  private int index;

  /**
   * The number of dead letters of the current partition that are left to redrive, of those that
   * were present when the partition was counted.
   */
  private long left = UNCOUNTED;

  private long redriven;

  RedriveAll(QueueView<?> view) {
    this.view = view;
  }

  /** Redrives the dead letters; the result is the number of redriven messages. */
  CompletionStage<Long> start() {
    return AsyncLoop.run(() -> view.corrected(this::step)).thenApply(end -> redriven);
  }

  /** Executes a step; the result is whether there is a further step. */
  private CompletionStage<Boolean> step() {
    if (index >= view.partitions().all().size()) {
      return CompletableFuture.completedStage(false);
    }
    if (left == 0) {
      index++;
      left = UNCOUNTED;
      return CompletableFuture.completedStage(true);
    }
    Partition partition = view.partitions().all().get(index).partition();
    return left == UNCOUNTED ? count(partition) : redriveSome(partition);
  }

  private CompletionStage<Boolean> count(Partition partition) {
    return partition
        .counts()
        .thenApply(
            counts -> {
              left = counts.dead();
              return true;
            });
  }

  private CompletionStage<Boolean> redriveSome(Partition partition) {
    return partition
        .browse(State.DEAD, null, (int) Math.min(left, STEP))
        .thenCompose(page -> redrive(page.entries()));
  }

  private CompletionStage<Boolean> redrive(List<Entry> dead) {
    if (dead.isEmpty()) {
      left = 0;
      return CompletableFuture.completedStage(true);
    }
    return view.submitAll(
            dead.stream().map(entry -> new Operation.Redrive(entry.id())).toList(),
            ClientDeadLetters::outcome)
        .answer()
        .thenApply(
            outcomes -> {
              left -= outcomes.size();
              redriven += outcomes.stream().filter(DeadLetterOutcome.DONE::equals).count();
              return true;
            });
  }
}
