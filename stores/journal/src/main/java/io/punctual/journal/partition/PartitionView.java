package io.punctual.journal.partition;

import io.punctual.embedded.Cursor;
import io.punctual.embedded.DueHistogram;
import io.punctual.embedded.PageSearch;
import io.punctual.embedded.Place;
import io.punctual.embedded.SlotScan;
import io.punctual.embedded.StateCounts;
import io.punctual.journal.disk.Space;
import io.punctual.journal.format.Id;
import io.punctual.journal.index.Lease;
import io.punctual.journal.index.SlotTable;
import io.punctual.journal.log.AttemptLog;
import io.punctual.journal.report.JournalDamagedException;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.PartitionCounts;
import java.util.Optional;

/** Look-ups of a queue in a snapshot of a journal. For one thread at a time. */
public final class PartitionView {
  /** The value that stands for the end of a lease, which only the owner of the journal knows. */
  private static final long UNKNOWN = 0;

  private final PartitionState state;
  private final JournalTable table;
  private final long nowMillis;

  /**
   * Creates a view of a queue.
   *
   * @param nowMillis the time of the view in milliseconds from 1970; messages due by then count as
   *     ready
   */
  public PartitionView(PartitionState state, Space space, long nowMillis) {
    this.state = state;
    this.nowMillis = nowMillis;
    table = new JournalTable(state, space);
  }

  /**
   * Shows the message of an attempt as leased, unless a later record of the message ends the lease.
   * Called before {@link Partitions#restored}.
   */
  public static void lease(Partitions partitions, AttemptLog.Attempt attempt) {
    PartitionState partition = partitions.numbered(attempt.queue());
    int slot =
        partition == null ? SlotTable.NONE : partition.numbered(attempt.sequence(), attempt.hash());
    if (partition != null && slot != SlotTable.NONE) {
      lease(partition, slot, attempt);
    }
  }

  private static void lease(PartitionState partition, int slot, AttemptLog.Attempt attempt) {
    if (partition.slots().place(slot) == Place.LEASED) {
      Lease earlier = partition.lease(slot);
      if (earlier.token >= attempt.token()) {
        return;
      }
      partition.put(slot, Place.WAITING, earlier.attempt - 1, earlier.dueMillis);
    }
    try {
      if (partition.slots().place(slot) == Place.WAITING
          && StateRecord.token(partition.reads().state(slot)) < attempt.token()) {
        String id = partition.reads().id(slot);
        long due = partition.due().millis(slot);
        partition.lease(
            new Lease(slot, id, due, attempt.token(), attempt.attempt(), null), UNKNOWN);
      }
    } catch (JournalDamagedException e) {
      partition.reads().warn(e);
    }
  }

  public Optional<Entry> find(String id) {
    int slot = state.find(Id.of(id, state.hashSeed()));
    return slot == SlotTable.NONE || table.isForgotten(slot, nowMillis)
        ? Optional.empty()
        : Optional.of(table.entry(slot, nowMillis, true));
  }

  public EntryPage browse(EntryQuery query, Cursor after, int limit) {
    return scan(new PageSearch<>(table, query, after, limit, nowMillis)).page();
  }

  public PartitionCounts counts() {
    return state.settings().counts(scan(new StateCounts(table, nowMillis)));
  }

  public long[] forecast(long fromMillis, long widthMillis, int buckets) {
    return scan(new DueHistogram(table, fromMillis, widthMillis, buckets)).counts();
  }

  private <S extends SlotScan> S scan(S scan) {
    scan.visit(0, state.slots().end());
    return scan;
  }
}
