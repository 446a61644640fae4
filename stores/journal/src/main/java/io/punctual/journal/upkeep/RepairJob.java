package io.punctual.journal.upkeep;

import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.DiskFile;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.disk.FileWindow;
import io.punctual.journal.format.Manifest;
import io.punctual.journal.format.RecordType;
import io.punctual.journal.format.SegmentHeader;
import io.punctual.journal.format.SegmentWriter;
import io.punctual.journal.report.JournalDamagedException;
import io.punctual.journal.report.RepairReport;
import io.punctual.journal.report.SalvagedSegment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Repairs a damaged journal so that it opens. Each damaged segment is replaced by a new segment
 * with the records that {@link Salvage} keeps. A lost manifest is rebuilt. Copies of the damaged
 * files are kept under names with {@code .damaged}.
 *
 * <p>The manifest is written after all new files, so an interrupted repair leaves the journal as it
 * was.
 */
public final class RepairJob {
  /**
   * A repair raises the next sequence number by this value, because lost records may have had
   * higher numbers.
   */
  private static final long SEQUENCES_LOST = 1L << 32;

  private final SalvageDisk disk;
  private final Verification found;
  private final Manifest manifest;
  private int nextFile;

  /**
   * Reads a journal and changes nothing.
   *
   * @throws JournalDamagedException if the files contain too little to build a journal
   */
  public RepairJob(Disk folder) throws IOException {
    disk = new SalvageDisk(folder);
    found = Verification.of(disk);
    Manifest known = found.manifest();
    if (known == null) {
      throw new JournalDamagedException(
          FileNames.MANIFEST, 0, "it is lost, and there is no segment to put one together from");
    }
    manifest = known;
    nextFile = known.nextFile();
  }

  /**
   * Returns a sentence for exceptions, with the number of bytes that a repair would lose and the
   * number of messages that it would keep of the damaged files. If a repair is impossible, the
   * sentence advises to restore the folder from a copy.
   */
  public static String remedy(Disk disk) throws IOException {
    try {
      RepairReport plan = new RepairJob(disk).plan();
      long lost = 0;
      long messages = 0;
      for (SalvagedSegment segment : plan.segments()) {
        lost += segment.lostBytes();
        messages += segment.messages();
      }
      return ("'punctual journal repair' would make it open again, without %d bytes of it: it keeps"
              + " %d message%s of the damaged files, and copies of these")
          .formatted(lost, messages, messages == 1 ? "" : "s");
    } catch (JournalDamagedException e) {
      return "Restore the folder from a copy: " + e.getMessage();
    }
  }

  /** Returns the damage, and the records that a repair would keep. Changes nothing. */
  public RepairReport plan() throws IOException {
    List<SalvagedSegment> segments = new ArrayList<>();
    for (Manifest.Entry entry : manifest.segments()) {
      if (found.isDamaged(entry)) {
        segments.add(plan(entry));
      }
    }
    return new RepairReport(found.report().damage(), List.copyOf(segments), false);
  }

  private SalvagedSegment plan(Manifest.Entry entry) throws IOException {
    Map<RecordType, Long> kept = new EnumMap<>(RecordType.class);
    long lost =
        salvage(entry, (type, record) -> kept.merge(type, 1L, Long::sum)).lostBytes();
    return new SalvagedSegment(
        entry.name(),
        lost,
        kept.getOrDefault(RecordType.MESSAGE, 0L) + kept.getOrDefault(RecordType.REPLACEMENT, 0L),
        kept.getOrDefault(RecordType.STATE, 0L),
        kept.getOrDefault(RecordType.REMOVAL, 0L));
  }

  private Salvage.Result salvage(Manifest.Entry entry, Salvage.Sink sink) throws IOException {
    if (!disk.list().contains(entry.name())) {
      return new Salvage.Result(entry.length(), new RecordCounts());
    }
    try (DiskFile file = disk.open(entry.name())) {
      return Salvage.of(file, entry.header(), sink);
    }
  }

  public void run() throws IOException {
    List<Manifest.Entry> entries = new ArrayList<>();
    List<String> replaced = new ArrayList<>();
    for (Manifest.Entry entry : manifest.segments()) {
      if (found.isDamaged(entry)) {
        keepCopy(entry.name());
        replaced.add(entry.name());
        entries.add(rewrite(entry));
      } else {
        entries.add(entry);
      }
    }
    if (found.isManifestLost()) {
      keepCopy(FileNames.MANIFEST);
      new UnnamedSegments(disk, manifest).keepDamaged();
    }
    disk.force();
    manifest.with(nextFile, entries).write(disk);
    for (String name : replaced) {
      disk.delete(name);
    }
    disk.force();
  }

  private void keepCopy(String name) throws IOException {
    if (!disk.list().contains(name)) {
      return;
    }
    try (DiskFile from = disk.open(name);
        DiskFile to = disk.create(FileNames.free(disk, FileNames.damaged(name)))) {
      FileWindow window = new FileWindow(from, name);
      for (long at = 0; at < window.size(); at += FileWindow.PORTION) {
        to.write(window.at(at, FileWindow.PORTION), at);
      }
      to.force();
    }
  }

  private Manifest.Entry rewrite(Manifest.Entry entry) throws IOException {
    SegmentHeader old = entry.header();
    SegmentHeader header =
        old.successor(newFile(), old.last(), old.cleaned(), new SecureRandom().nextLong());
    TreeSet<Integer> queues = new TreeSet<>(found.all().queues().keySet());
    Salvage.Result unused = salvage(entry, (type, record) -> queues.add(record.getInt(5)));
    queues.remove(0);
    try (DiskFile file = disk.create(FileNames.segment(header.file()))) {
      SegmentWriter writer = new SegmentWriter(file, header);
      long next = found.all().nextSequence() + SEQUENCES_LOST;
      writer.records().marks(next, found.all().tokenCeiling());
      queues.forEach(queue -> writer.records().queue(queue, name(queue)));
      unused = salvage(entry, (type, record) -> copy(writer, type, record));
      return writer.end();
    }
  }

  private byte[] name(int queue) {
    return found
        .all()
        .queues()
        .getOrDefault(queue, "recovered-" + Integer.toUnsignedString(queue))
        .getBytes(StandardCharsets.UTF_8);
  }

  private static void copy(SegmentWriter writer, RecordType type, ByteBuffer record)
      throws IOException {
    if (type != RecordType.FOOTER) {
      writer.records().copy(record);
      int unused = writer.added();
    }
  }

  private int newFile() throws IOException {
    for (String name : disk.list()) {
      nextFile = Math.max(nextFile, FileNames.number(name) + 1);
    }
    return nextFile++;
  }
}
