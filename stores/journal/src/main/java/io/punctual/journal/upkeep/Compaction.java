package io.punctual.journal.upkeep;

import io.punctual.PunctualException;
import io.punctual.internal.log.Logs;
import io.punctual.journal.disk.CleanUp;
import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.DiskFile;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.disk.ForceFailedException;
import io.punctual.journal.disk.OpenFailedException;
import io.punctual.journal.disk.Space;
import io.punctual.journal.format.Location;
import io.punctual.journal.format.Manifest;
import io.punctual.journal.format.ManifestFile;
import io.punctual.journal.format.RecordReader;
import io.punctual.journal.format.RecordType;
import io.punctual.journal.format.SegmentHeader;
import io.punctual.journal.format.SegmentScan;
import io.punctual.journal.format.SegmentWriter;
import io.punctual.journal.log.Segment;
import io.punctual.journal.log.Segments;
import io.punctual.journal.partition.Journal;
import io.punctual.journal.report.JournalDamagedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Replaces a segment whose records are mostly unneeded by a smaller segment, or several small
 * adjacent segments by a single segment. Deletes a segment without needed records.
 *
 * <p>The needed records are copied to a new file. The waiting messages in this file are in the
 * order of their due times, so that later reads of the file are sequential. The copy omits messages
 * that were removed or replaced. The records of their removal or replacement may be in memory only,
 * so these records are forced before the manifest names the new file. The old files are deleted
 * after that.
 *
 * <p>A removal is copied until every file that may have an older record of the message was deleted,
 * or was compacted after the removal. Without the removal, the next start would restore the
 * message. The new file takes the position of the old files in the order of segments, so that
 * records of later segments still override its records.
 */
public final class Compaction {
  private static final Logger log = Logs.of(Compaction.class);

  private final Disk disk;
  private final ManifestFile manifest;
  private final Segments segments;
  private final Journal journal;
  private final Supplier<CompletableFuture<Boolean>> force;
  private final Liveness liveness;
  private final Pace pace;
  private final long segmentBytes;
  private final SecureRandom salts = new SecureRandom();

  /** The number of the last segment that the current round of {@link #run} has visited. */
  private int reached;

  /** Slows down a compaction, so that other calls can use the disk. */
  @FunctionalInterface
  public interface Pace {
    /**
     * Receives the number of bytes that were written.
     *
     * @throws InterruptedException to end the compaction
     */
    void written(int bytes) throws InterruptedException;
  }

  /**
   * Creates a compaction.
   *
   * @param force forces everything that was written so far, whatever the option {@code fsync} is;
   *     the result is false if that is not possible any more
   */
  public Compaction(
      Disk disk,
      ManifestFile manifest,
      Segments segments,
      Journal journal,
      Supplier<CompletableFuture<Boolean>> force,
      long segmentBytes,
      Pace pace) {
    this.disk = disk;
    this.manifest = manifest;
    this.segments = segments;
    this.journal = journal;
    this.force = force;
    this.pace = pace;
    this.segmentBytes = segmentBytes;
    liveness = new Liveness(segments, journal.partitions(), journal.log());
  }

  /**
   * Compacts the next segment, or the next run of segments, for which {@link Liveness} expects a
   * gain. A round visits each ended segment of the journal once, in order.
   *
   * @return false at the end of a round, when no segments were left to compact
   */
  public boolean run() throws IOException, InterruptedException {
    return run(Long.MAX_VALUE);
  }

  /**
   * Compacts as {@link #run()} does, but only segments whose copy has at most {@code mostBytes}.
   */
  boolean run(long mostBytes) throws IOException, InterruptedException {
    Found found = next(mostBytes);
    if (found.candidate == null) {
      reached = 0;
      return false;
    }
    reached = found.candidate.last();
    try {
      compact(found.candidate);
    } catch (JournalDamagedException e) {
      log.error("{} Compaction skips this segment until the next start", e.getMessage());
      look(() -> leaveAlone(e.file()));
    }
    return true;
  }

  private Found next(long mostBytes) throws IOException {
    Space space = journal.space();
    var limits =
        new Liveness.CompactionLimits(segmentBytes, Math.min(mostBytes, space.spareBytes()));
    if (reached == 0 && space.obstacle().isEmpty()) {
      long room = space.roomBytes();
      look(() -> liveness.endOpenSegment(room, limits));
    }
    List<Manifest.Entry> ended =
        manifest.manifest().segments().stream().filter(entry -> !entry.isOpen()).toList();
    return journal.lookInside(() -> new Found(liveness.candidate(ended, reached, limits))).join();
  }

  private void leaveAlone(String file) {
    segments.inOrder().stream()
        .filter(segment -> segment.name().equals(file))
        .forEach(Segment::leaveAlone);
  }

  private record Found(Liveness.@Nullable Candidate candidate) {}

  private void compact(Liveness.Candidate candidate) throws IOException, InterruptedException {
    List<Segment> old = candidate.segments();
    Map<Integer, String> queues = new TreeMap<>();
    CopiedRecords copied = new CopiedRecords();
    for (int i = 0; i < old.size(); i++) {
      int index = i;
      queues.putAll(scan(old.get(i), records -> keep(copied, old, index, records)));
    }
    if (copied.isEmpty()) {
      forceWritten();
      replace(old, List.of());
      retire(old);
    } else {
      copy(candidate, queues, copied);
    }
  }

  /**
   * Passes the records about messages in a segment to {@code portions}, and returns the names of
   * its queues by number.
   */
  private static Map<Integer, String> scan(Segment segment, Consumer<List<SegmentRecord>> portions)
      throws OpenFailedException {
    CompactionScan scan = new CompactionScan(segment, portions);
    try {
      SegmentScan walked = SegmentScan.of(segment.opened(), segment.name(), scan);
      if (!walked.hasFooter()) {
        throw walked.damage();
      }
    } catch (OpenFailedException e) {
      throw e;
    } catch (IOException e) {
      throw unreadable(segment, 0, e);
    }
    scan.end();
    return scan.queues();
  }

  private static JournalDamagedException unreadable(Segment segment, int offset, IOException why) {
    String reason = "it could not be read (" + why.getMessage() + ")";
    return new JournalDamagedException(segment.name(), offset, reason, why);
  }

  private void keep(
      CopiedRecords copied, List<Segment> old, int index, List<SegmentRecord> records) {
    for (Liveness.Needed needed : journal.lookInside(() -> liveness.needed(old, records)).join()) {
      if (needed.record().isRemoval()) {
        copied.removal(needed.record());
      } else {
        copied.other(needed.record(), index, needed.dueMillis());
      }
    }
  }

  private void copy(Liveness.Candidate candidate, Map<Integer, String> queues, CopiedRecords copied)
      throws IOException, InterruptedException {
    List<Segment> old = candidate.segments();
    SegmentHeader header =
        old.get(0)
            .header()
            .successor(manifest.newFile(), candidate.last(), candidate.cleaned(), salts.nextLong());
    Segment copy = new Segment(header);
    DiskFile file = disk.create(copy.name());
    boolean used = false;
    try {
      copy.opened(file);
      SegmentWriter writer = new SegmentWriter(file, header);
      Manifest.Entry entry = write(old, copied, new SegmentCopy(copy, writer, queues, pace));
      disk.force();
      forceWritten();
      replace(old, List.of(entry));
      used = true;
      copy.length(entry.length());
      copy.seal();
      move(copy, old);
      file.endWrites();
      retire(old);
    } catch (Throwable e) {
      // After a failed force or an error, the manifest may name the copy already, so the copy must
      // be kept. The next start deletes it if the manifest does not name it.
      boolean stays = used || e instanceof ForceFailedException || e instanceof Error;
      try (CleanUp deleted = stays ? null : () -> disk.delete(copy.name());
          DiskFile unused = used ? null : file) {
        throw e;
      }
    }
  }

  private void forceWritten() {
    if (!force.get().join()) {
      Throwable why = journal.thread().failure();
      throw new PunctualException(
          "The journal "
              + disk.describe()
              + " is not written any more"
              + (why == null ? "" : ": " + why.getMessage()),
          why);
    }
  }

  private static Manifest.Entry write(List<Segment> old, CopiedRecords copied, SegmentCopy copy)
      throws IOException, InterruptedException {
    ByteBuffer removals = copied.nextRemovals();
    while (removals.hasRemaining()) {
      while (removals.hasRemaining()) {
        int length = RecordType.REMOVAL.leastLength();
        copy.add(removals.slice(removals.position(), length));
        removals.position(removals.position() + length);
      }
      removals = copied.nextRemovals();
    }
    while (copied.hasOther()) {
      long location = copied.otherLocation();
      Segment segment = old.get(Location.file(location));
      copy.add(read(segment, Location.offset(location), copied.otherLength()));
      copied.removeOther();
    }
    return copy.end();
  }

  private static ByteBuffer read(Segment segment, int offset, int length)
      throws OpenFailedException {
    try {
      ByteBuffer record = segment.opened().read(offset, length);
      if (RecordReader.isIntact(record)) {
        return record;
      }
    } catch (OpenFailedException e) {
      throw e;
    } catch (IOException e) {
      throw unreadable(segment, offset, e);
    }
    String reason = "the checksum of a record is wrong";
    throw new JournalDamagedException(segment.name(), offset, reason);
  }

  /**
   * Replaces the old segments in the manifest by {@code copies}, at the position of the first old
   * segment.
   */
  private void replace(List<Segment> old, List<Manifest.Entry> copies) throws IOException {
    manifest.change(
        entries -> {
          List<Manifest.Entry> changed = new ArrayList<>();
          for (Manifest.Entry entry : entries) {
            int file = entry.header().file();
            if (file == old.get(0).file()) {
              changed.addAll(copies);
            } else if (old.stream().noneMatch(segment -> segment.file() == file)) {
              changed.add(entry);
            }
          }
          return changed;
        });
  }

  private void move(Segment copy, List<Segment> old) throws OpenFailedException {
    look(() -> segments.add(copy));
    var unused = scan(copy, records -> look(() -> liveness.move(old, records)));
  }

  private void retire(List<Segment> old) throws IOException {
    look(() -> old.forEach(segments::remove));
    for (Segment segment : old) {
      segment.opened().close();
    }
    for (Segment segment : old) {
      StartFiles.delete(disk, segment.name());
      StartFiles.delete(disk, FileNames.hint(segment.file()));
    }
    disk.force();
  }

  private void look(Runnable action) {
    journal
        .lookInside(
            () -> {
              action.run();
              return true;
            })
        .join();
  }
}
