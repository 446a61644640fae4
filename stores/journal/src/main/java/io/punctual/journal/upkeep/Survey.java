package io.punctual.journal.upkeep;

import io.punctual.embedded.StateCounts;
import io.punctual.journal.disk.Disk;
import io.punctual.journal.format.Manifest;
import io.punctual.journal.format.ManifestFile;
import io.punctual.journal.log.Attempts;
import io.punctual.journal.log.Frame;
import io.punctual.journal.log.Log;
import io.punctual.journal.log.Segment;
import io.punctual.journal.log.Segments;
import io.punctual.journal.partition.PartitionState;
import io.punctual.journal.partition.Partitions;
import io.punctual.journal.report.JournalStats;
import io.punctual.spi.PartitionCounts;
import java.io.IOException;
import java.util.List;

/** Brings a journal's state back as a start would, only to count it. */
public final class Survey {
  private Survey() {}

  public static JournalStats of(Disk disk) throws IOException {
    ManifestFile manifest = new ManifestFile(disk, Manifest.read(disk));
    Segments segments = new Segments();
    Log log = new Log(segments, manifest, Survey::refuse, 0, records -> {});
    Attempts attempts = new Attempts(disk, manifest, 0);
    Partitions partitions = new Partitions(manifest.hashSeed(), log, segments, attempts, 0);
    Recovery recovery = new Recovery(disk, manifest, segments, partitions);
    try {
      recovery.lookAtSegments();
      return count(manifest.manifest(), segments, partitions, recovery);
    } finally {
      for (Segment segment : segments.inOrder()) {
        segment.opened().close();
      }
    }
  }

  private static void refuse(Frame frame) {
    throw new IllegalStateException("Nothing is written to a journal that is only looked at");
  }

  private static JournalStats count(
      Manifest manifest, Segments segments, Partitions partitions, Recovery recovery)
      throws IOException {
    long bytes = 0;
    long needed = 0;
    for (Segment segment : segments.inOrder()) {
      bytes += segment.opened().size();
      needed += segment.liveBytes();
    }
    long waiting = 0;
    long dead = 0;
    for (PartitionState partition : partitions.defined()) {
      StateCounts counts = new StateCounts(partition, Long.MIN_VALUE);
      counts.visit(0, partition.slots().end());
      PartitionCounts found = counts.counts(partition.isPaused());
      waiting += found.scheduled();
      dead += found.dead();
    }
    List<Manifest.Entry> entries = manifest.segments();
    return new JournalStats(
        entries.size(),
        bytes,
        needed,
        recovery.hints().size(),
        entries.stream().noneMatch(Manifest.Entry::isOpen),
        partitions.defined().size(),
        waiting,
        dead);
  }
}
