package io.punctual.journal.partition;

import io.punctual.embedded.Place;
import io.punctual.internal.log.Logs;
import io.punctual.journal.index.Lease;
import io.punctual.journal.index.SlotTable;
import io.punctual.journal.log.AttemptLog;
import io.punctual.journal.report.JournalDamagedException;
import io.punctual.spi.Partition;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;

/**
 * Records the attempts of leases that end with the process. At a close, the leases are in memory;
 * after a crash, the file of attempts lists them. {@link #endAll} may be called on any thread;
 * everything else is for the journal's thread alone.
 */
public final class LeaseClosing {
  private static final Logger log = Logs.of(LeaseClosing.class);

  private LeaseClosing() {}

  /**
   * Records the attempt of a lease that an earlier run did not end, unless the message is gone or
   * has a newer state.
   */
  static void recount(PartitionState partition, AttemptLog.Attempt last) {
    int slot = partition.numbered(last.sequence(), last.hash());
    if (slot == SlotTable.NONE || partition.slots().place(slot) != Place.WAITING) {
      return;
    }
    try {
      StateRecord state = partition.reads().state(slot);
      if (state == null || state.state().token() < last.token()) {
        partition
            .moves()
            .makeWait(
                slot,
                partition.due().millis(slot),
                last.attempt(),
                last.token(),
                StateRecord.history(state));
      }
    } catch (JournalDamagedException e) {
      log.warn(
          "An attempt of a message in {} was not counted: {}", partition.name(), e.getMessage());
    }
  }

  /**
   * Refuses all later calls, and ends the leases of a journal: records their attempts, and makes
   * their messages wait again. Skips the leases of cancelled messages, which have nothing to
   * record. The result is false if the journal had failed before, or a lease could not be ended
   * because the history of its message is damaged.
   */
  public static CompletableFuture<Boolean> endAll(Journal journal) {
    CompletableFuture<Boolean> ended = new CompletableFuture<>();
    journal
        .thread()
        .executeInAnyCase(
            () -> {
              journal.thread().refuseOthers();
              endAll(journal, ended);
            },
            ended::completeExceptionally);
    return ended;
  }

  private static void endAll(Journal journal, CompletableFuture<Boolean> ended) {
    if (journal.failure() != null) {
      ended.complete(false);
      return;
    }
    boolean all = true;
    for (PartitionState partition : journal.partitions().withContents()) {
      all &= endLeases(partition);
    }
    journal.answerInsideWhenSafe(ended, all);
  }

  private static boolean endLeases(PartitionState partition) {
    List<Lease> left = new ArrayList<>();
    partition
        .leases()
        .forEach(
            lease -> {
              if (!lease.cancelled && !isEnded(partition, lease)) {
                left.add(lease);
              }
            });
    return left.isEmpty();
  }

  private static boolean isEnded(PartitionState partition, Lease lease) {
    try {
      byte[] history = partition.reads().history(lease.slot);
      partition.moves().makeWait(lease.slot, lease.dueMillis, lease.attempt, lease.token, history);
      return true;
    } catch (JournalDamagedException | Partition.RefusedForNowException e) {
      log.warn(
          "The attempt of message {} in queue {} could not be recorded: {}",
          lease.id,
          partition.name(),
          e.getMessage());
      return false;
    }
  }
}
