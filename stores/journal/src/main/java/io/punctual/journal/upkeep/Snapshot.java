package io.punctual.journal.upkeep;

import io.punctual.embedded.StateCounts;
import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.disk.OpenFailedException;
import io.punctual.journal.disk.PinnedDisk;
import io.punctual.journal.disk.Space;
import io.punctual.journal.format.Manifest;
import io.punctual.journal.format.ManifestFile;
import io.punctual.journal.log.AttemptLog;
import io.punctual.journal.log.AttemptLogReader;
import io.punctual.journal.log.Frame;
import io.punctual.journal.log.RecordLog;
import io.punctual.journal.log.Segment;
import io.punctual.journal.log.Segments;
import io.punctual.journal.partition.PartitionState;
import io.punctual.journal.partition.PartitionView;
import io.punctual.journal.partition.Partitions;
import io.punctual.journal.report.JournalDamagedException;
import io.punctual.journal.report.JournalStats;
import io.punctual.spi.Partition.RefusedForNowException;
import io.punctual.spi.PartitionCounts;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The state of a journal, read from its files while a different process may write them. A snapshot
 * opens the files first, so that it can still read files that are deleted later. Its state includes
 * all frames up to the last whole frame. A snapshot writes nothing. Close it to release the files.
 * For one thread at a time.
 */
public final class Snapshot implements AutoCloseable {
  private static final int MAX_READS = 3;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final PinnedDisk disk;
  private final Manifest manifest;
  private final Segments segments = new Segments();
  private final Partitions partitions;
  private final Recovery recovery;
  private final Space space;
  private final long nowMillis;

  /**
   * Takes a snapshot.
   *
   * @param nowMillis the current time, in milliseconds from 1970
   * @throws JournalDamagedException if the files are damaged
   */
  public static Snapshot of(Disk folder, long nowMillis) throws IOException {
    for (int reads = 1; ; reads++) {
      PinnedJournal pinned = PinnedJournal.of(folder);
      try {
        Snapshot snapshot = new Snapshot(pinned, nowMillis);
        snapshot.read();
        return snapshot;
      } catch (JournalDamagedException | OpenFailedException | RefusedForNowException e) {
        // A frame that the owner is writing can look damaged, and the owner may delete a file that
        // has to be opened again. So the snapshot is repeated a moment later.
        try (pinned) {
          if (reads == MAX_READS) {
            throw e;
          }
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      } catch (Throwable e) {
        try (pinned) {
          throw e;
        }
      }
    }
  }

  private Snapshot(PinnedJournal pinned, long nowMillis) throws IOException {
    this.nowMillis = nowMillis;
    disk = pinned.disk();
    manifest = pinned.manifest();
    space = new Space(disk, 0);
    ManifestFile file = new ManifestFile(disk, manifest);
    RecordLog log = new RecordLog(segments, file, Snapshot::refuse, 0, records -> {});
    AttemptLog attempts = new AttemptLog(disk, file, 0);
    partitions = new Partitions(manifest.hashSeed(), log, segments, attempts, nowMillis);
    recovery = new Recovery(disk, file, segments, partitions);
  }

  private static void refuse(Frame frame) {
    throw new IllegalStateException("Nothing is written to a journal that is only looked at");
  }

  private void read() throws IOException {
    recovery.lookAtSegments();
    for (String name : disk.list()) {
      if (FileNames.isAttempts(name)) {
        readAttempts(name);
      }
    }
    partitions.restored();
  }

  /**
   * Restores the leases from a file of attempts. The leases themselves are only in the memory of
   * the owner.
   */
  private void readAttempts(String name) throws IOException {
    AttemptLogReader reader = new AttemptLogReader(disk.open(name), name);
    List<AttemptLog.Attempt> portion = reader.next();
    while (!portion.isEmpty()) {
      portion.forEach(attempt -> PartitionView.lease(partitions, attempt));
      portion = reader.next();
    }
  }

  /** Counts the messages and bytes of the journal. */
  public JournalStats stats() throws IOException {
    long bytes = 0;
    long needed = 0;
    for (Segment segment : segments.inOrder()) {
      bytes += segment.opened().size();
      needed += segment.liveBytes();
    }
    long waiting = 0;
    long dead = 0;
    long finished = 0;
    for (PartitionState partition : partitions.withContents()) {
      StateCounts counts = new StateCounts(partition, Long.MIN_VALUE);
      counts.visit(0, partition.slots().end());
      PartitionCounts found = partition.settings().counts(counts);
      waiting += found.scheduled() + found.leased();
      dead += found.dead();
      finished += found.finished();
    }
    return new JournalStats(
        manifest.segments().size(),
        bytes,
        needed,
        recovery.hints().size(),
        manifest.segments().stream().noneMatch(Manifest.Entry::isOpen),
        partitions.size(),
        waiting,
        dead,
        finished);
  }

  /** Returns the names of the queues, sorted. */
  public List<String> queues() {
    return partitions.names();
  }

  /** Returns a view of a queue, which is empty if the journal does not have the queue. */
  public PartitionView queue(String name) {
    return new PartitionView(partitions.named(name), space, nowMillis);
  }

  @Override
  public void close() throws IOException {
    disk.close();
  }
}
