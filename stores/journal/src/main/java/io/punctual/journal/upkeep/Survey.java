package io.punctual.journal.upkeep;

import io.punctual.embedded.StateCounts;
import io.punctual.journal.disk.Disk;
import io.punctual.journal.format.Manifest;
import io.punctual.journal.log.Segment;
import io.punctual.journal.partition.PartitionState;
import io.punctual.journal.report.JournalStats;
import io.punctual.spi.PartitionCounts;
import java.io.IOException;
import java.util.List;

/** Counts the messages and bytes of a journal. */
public final class Survey {
  private Survey() {}

  public static JournalStats of(Disk disk) throws IOException {
    try (Snapshot snapshot = Snapshot.of(disk, 0)) {
      return count(snapshot);
    }
  }

  private static JournalStats count(Snapshot snapshot) throws IOException {
    long bytes = 0;
    long needed = 0;
    for (Segment segment : snapshot.segments().inOrder()) {
      bytes += segment.opened().size();
      needed += segment.liveBytes();
    }
    long waiting = 0;
    long dead = 0;
    long finished = 0;
    for (PartitionState partition : snapshot.partitions().defined()) {
      StateCounts counts = new StateCounts(partition, Long.MIN_VALUE);
      counts.visit(0, partition.slots().end());
      PartitionCounts found = partition.settings().counts(counts);
      waiting += found.scheduled() + found.leased();
      dead += found.dead();
      finished += found.finished();
    }
    List<Manifest.Entry> entries = snapshot.manifest().segments();
    return new JournalStats(
        entries.size(),
        bytes,
        needed,
        snapshot.hints().size(),
        entries.stream().noneMatch(Manifest.Entry::isOpen),
        snapshot.partitions().defined().size(),
        waiting,
        dead,
        finished);
  }
}
