package io.punctual.journal.upkeep;

import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.internal.log.Logs;
import io.punctual.journal.disk.CleanUp;
import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.DiskFile;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.disk.FileWindow;
import io.punctual.journal.format.FrameFormat;
import io.punctual.journal.format.HintFile;
import io.punctual.journal.format.Location;
import io.punctual.journal.format.Manifest;
import io.punctual.journal.format.ManifestFile;
import io.punctual.journal.format.MessageState;
import io.punctual.journal.format.RecordBuffer;
import io.punctual.journal.format.RecordVisitor;
import io.punctual.journal.format.SegmentHeader;
import io.punctual.journal.format.SegmentScan;
import io.punctual.journal.log.Segment;
import io.punctual.journal.log.Segments;
import io.punctual.journal.partition.PartitionState;
import io.punctual.journal.partition.Partitions;
import io.punctual.journal.report.JournalDamagedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;

/**
 * Restores a journal's state from its files, at a start or for a {@link Snapshot}.
 *
 * <p>Ended segments must be complete. If the last segment was not ended, a start copies its good
 * frames to a new file, and forces this file. The old file may contain bytes that were never
 * forced: after a failed force the operating system may return bytes that never reach the disk.
 */
public final class Recovery implements RecordVisitor {
  private static final Logger log = Logs.of(Recovery.class);

  private final Disk disk;
  private final ManifestFile manifest;
  private final Segments segments;
  private final Partitions partitions;
  private final Set<Segment> needed = new HashSet<>();
  private Segment reading = new Segment(new SegmentHeader(0, 0, 0, 0, 0, 0));
  private long nextSequence = 1;
  private long tokenCeiling;
  private final Set<String> hints = new HashSet<>();
  private final Set<String> files;

  public Recovery(Disk disk, ManifestFile manifest, Segments segments, Partitions partitions)
      throws IOException {
    this.disk = disk;
    files = new HashSet<>(disk.list());
    this.manifest = manifest;
    this.segments = segments;
    this.partitions = partitions;
  }

  /** Reads all segments, and ends the last segment if it is open. */
  public void readSegments() throws IOException {
    for (Manifest.Entry entry : manifest.manifest().segments()) {
      if (entry.isOpen()) {
        readTail(entry);
      } else {
        readEnded(entry);
      }
    }
    partitions.restored();
  }

  /** Reads all segments, and writes nothing. */
  void lookAtSegments() throws IOException {
    for (Manifest.Entry entry : manifest.manifest().segments()) {
      if (entry.isOpen()) {
        DiskFile file = open(entry);
        begin(entry.header());
        reading.opened(file);
        scanTail(file, entry);
      } else {
        readEnded(entry);
      }
    }
  }

  /** The names of the valid hints, which were read instead of their segments. */
  public Set<String> hints() {
    return hints;
  }

  private void readEnded(Manifest.Entry entry) throws IOException {
    DiskFile file = open(entry);
    begin(entry.header());
    reading.opened(file);
    if (file.size() != entry.length()) {
      throw new JournalDamagedException(
          entry.name(),
          Math.min(file.size(), entry.length()),
          "the segment should have " + entry.length() + " bytes, but has " + file.size());
    }
    if (!readHint(entry)) {
      SegmentScan scan = SegmentScan.of(file, entry.name(), this);
      if (!scan.hasFooter() || scan.trouble() != null || scan.checksum() != entry.checksum()) {
        throw scan.damage();
      }
      requireSame(scan, entry);
    }
    reading.length(entry.length());
    reading.seal();
  }

  /**
   * Reads the hint of a segment instead of the segment. Returns false if there is no valid hint.
   */
  private boolean readHint(Manifest.Entry entry) throws IOException {
    String name = FileNames.hint(entry.header().file());
    if (!files.contains(name)) {
      return false;
    }
    try (DiskFile hint = disk.open(name)) {
      if (!HintFile.isOf(hint, entry)) {
        log.info("{} is not a hint for {}; the segment is read instead", name, entry.name());
        return false;
      }
      HintFile.read(hint, name, this);
      hints.add(name);
      return true;
    }
  }

  private void readTail(Manifest.Entry entry) throws IOException {
    try (DiskFile file = open(entry)) {
      int copy = manifest.newFile();
      SegmentHeader old = entry.header();
      SegmentHeader header = old.successor(copy, old.last(), old.cleaned(), old.salt());
      begin(header);
      SegmentScan scan = scanTail(file, entry);
      if (scan.trouble() != null) {
        warnOfCut(scan, entry, file.size());
      }
      Manifest.Entry ended = copyTail(new FileWindow(file, entry.name()), header, scan);
      manifest.change(
          entries -> {
            entries.replaceAll(one -> one.equals(entry) ? ended : one);
            return entries;
          });
      reading.length(ended.length());
      reading.seal();
      reading.opened().endWrites();
    }
    StartFiles.delete(disk, entry.name());
  }

  private SegmentScan scanTail(DiskFile file, Manifest.Entry entry) throws IOException {
    SegmentScan scan = SegmentScan.of(file, entry.name(), this);
    requireSame(scan, entry);
    if (scan.trouble() != null && (scan.hasFooter() || scan.isTroubleAfterForce())) {
      throw scan.damage();
    }
    return scan;
  }

  private static void requireSame(SegmentScan scan, Manifest.Entry entry) {
    if (!scan.header().equals(entry.header())) {
      throw new JournalDamagedException(
          entry.name(), 0, "this is another segment than the manifest says");
    }
  }

  private static void warnOfCut(SegmentScan scan, Manifest.Entry entry, long size) {
    log.warn(
        "The journal was not closed: cut {} bytes from byte {} of {}, a write that was never"
            + " confirmed as safe ({})",
        size - scan.end(),
        scan.end(),
        entry.name(),
        scan.trouble());
  }

  private Manifest.Entry copyTail(FileWindow from, SegmentHeader header, SegmentScan scan)
      throws IOException {
    String name = FileNames.segment(header.file());
    DiskFile to = disk.create(name);
    reading.opened(to);
    try {
      return copy(from, to, header, scan);
    } catch (IOException | JournalDamagedException e) {
      // The disk may be full, so the incomplete copy must not keep its space.
      try (CleanUp deleted = () -> disk.delete(name)) {
        throw e;
      }
    }
  }

  private Manifest.Entry copy(FileWindow from, DiskFile to, SegmentHeader header, SegmentScan scan)
      throws IOException {
    to.write(header.encode(), 0);
    for (long at = SegmentHeader.LENGTH; at < scan.end(); at += FileWindow.PORTION) {
      to.write(from.at(at, (int) Math.min(FileWindow.PORTION, scan.end() - at)), at);
    }
    long end = scan.end();
    int checksum = scan.checksum();
    if (!scan.hasFooter()) {
      RecordBuffer footer = new RecordBuffer(FrameFormat.HEADER);
      footer.footer();
      ByteBuffer bytes = footer.written();
      checksum = FrameFormat.seal(bytes, 1, 0, checksum, header.salt(), end);
      to.write(bytes, end);
      end += footer.size();
    }
    to.force();
    disk.force();
    return new Manifest.Entry(header, end, checksum);
  }

  private DiskFile open(Manifest.Entry entry) throws IOException {
    if (!files.contains(entry.name())) {
      throw new JournalDamagedException(entry.name(), 0, "the file is missing");
    }
    return disk.open(entry.name());
  }

  private void begin(SegmentHeader header) {
    reading = new Segment(header);
    segments.add(reading);
  }

  /**
   * Returns the segments without records about messages. The log repeats their other records in
   * each segment that it begins.
   */
  public List<Segment> unneeded() {
    List<Segment> unneeded = new ArrayList<>(segments.inOrder());
    unneeded.removeAll(needed);
    return unneeded;
  }

  /** The lowest sequence number above all sequence numbers in the records. */
  public long nextSequence() {
    return nextSequence;
  }

  /** The token ceiling: earlier runs created no token above it. */
  public long tokenCeiling() {
    return tokenCeiling;
  }

  @Override
  public void message(
      int queue, long sequence, int hash, long dueMillis, long replaced, int home, Span at) {
    PartitionState partition = partition(queue, at);
    if (replaced != 0) {
      partition.restoreRemoval(replaced, hash);
      segments.removal(reading, home);
    }
    partition.restore(sequence, hash, dueMillis, location(at), at.length);
    seen(sequence);
  }

  @Override
  public void state(int queue, MessageState state, Span at) {
    partition(queue, at).restore(state, location(at), at.length);
    seen(state.sequence());
  }

  @Override
  public void removal(int queue, long sequence, int hash, int home, Span at) {
    partition(queue, at).restoreRemoval(sequence, hash);
    segments.removal(reading, home);
    seen(sequence);
  }

  @Override
  public void queue(int queue, String name) {
    reading.named(RecordBuffer.queueBytes(name.getBytes(StandardCharsets.UTF_8)));
    partitions.define(queue, name);
  }

  @Override
  public void paused(int queue, boolean paused) {
    PartitionState partition = partitions.numbered(queue);
    if (partition != null) {
      partition.settings().restorePaused(paused);
      partition.keepOrDrop();
    }
  }

  @Override
  public void pauseNote(int queue, PauseNote note) {
    PartitionState partition = partitions.numbered(queue);
    if (partition != null) {
      partition.settings().restorePauseNote(note);
    }
  }

  @Override
  public void limits(int queue, QueueLimits limits) {
    PartitionState partition = partitions.numbered(queue);
    if (partition != null) {
      partition.settings().restoreLimits(limits);
      partition.keepOrDrop();
    }
  }

  @Override
  public void deleted(int queue) {
    partitions.wasDeleted(queue, reading.header().first());
  }

  @Override
  public void marks(long next, long ceiling) {
    nextSequence = Math.max(nextSequence, next);
    tokenCeiling = Math.max(tokenCeiling, ceiling);
  }

  private void seen(long sequence) {
    needed.add(reading);
    nextSequence = Math.max(nextSequence, sequence + 1);
  }

  private long location(Span at) {
    return Location.of(reading.file(), at.offset);
  }

  private PartitionState partition(int queue, Span at) {
    PartitionState partition = partitions.numbered(queue);
    if (partition == null) {
      throw new JournalDamagedException(
          reading.name(), at.offset, "a record of a queue that was not named, number " + queue);
    }
    return partition;
  }
}
