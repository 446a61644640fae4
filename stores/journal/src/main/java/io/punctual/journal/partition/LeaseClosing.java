package io.punctual.journal.partition;

import io.punctual.embedded.Place;
import io.punctual.journal.index.Lease;
import io.punctual.journal.index.SlotTable;
import io.punctual.journal.log.Attempts;
import io.punctual.journal.report.JournalDamagedException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records the attempts of leases that end with the process: from memory at a close, and from the
 * file of attempts after a crash. For the engine's thread alone.
 */
public final class LeaseClosing {
  private static final Logger log = LoggerFactory.getLogger(LeaseClosing.class);

  private LeaseClosing() {}

  /** Records an attempt of a lease that the last run did not end. */
  static void recount(PartitionState partition, Attempts.Attempt last) {
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
   * Records the attempts of all leases and ends them; their messages wait again. Returns false if a
   * damaged message stays as it is.
   */
  public static boolean endLeases(PartitionState partition) {
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
    } catch (JournalDamagedException e) {
      log.warn(
          "The lease of {} in {} ends unwritten: {}", lease.id, partition.name(), e.getMessage());
      return false;
    }
  }
}
