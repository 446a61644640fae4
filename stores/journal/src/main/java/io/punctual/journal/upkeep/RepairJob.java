package io.punctual.journal.upkeep;

import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.DiskFile;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.disk.FileWindow;
import io.punctual.journal.disk.ForceFailedException;
import io.punctual.journal.format.Manifest;
import io.punctual.journal.format.RecordType;
import io.punctual.journal.format.SegmentHeader;
import io.punctual.journal.format.SegmentWriter;
import io.punctual.journal.log.AttemptLog;
import io.punctual.journal.log.AttemptLogReader;
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
import java.util.Locale;
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

  /**
   * A repair raises the token ceiling by this value, about 71 minutes in microseconds, because the
   * marks of higher tokens may be lost.
   */
  private static final long TOKENS_LOST = 1L << 32;

  private final SalvageDisk disk;
  private final Verification found;
  private final Manifest manifest;
  private final List<String> created = new ArrayList<>();
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
      boolean isKnown = true;
      long lost = 0;
      long messages = 0;
      for (SalvagedSegment segment : plan.segments()) {
        isKnown &= segment.lostBytes() != SalvagedSegment.UNKNOWN;
        lost += segment.lostBytes();
        messages += segment.messages();
      }
      return String.format(
          Locale.ROOT,
          "'punctual journal repair' would make it open again, without %s bytes of it: it keeps"
              + " %d message%s of the damaged files, and copies of these",
          isKnown ? Long.toString(lost) : "an unknown number of",
          messages,
          messages == 1 ? "" : "s");
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
    long lost = salvage(entry, (type, record) -> kept.merge(type, 1L, Long::sum)).lostBytes();
    return new SalvagedSegment(
        entry.name(),
        lost,
        kept.getOrDefault(RecordType.MESSAGE, 0L) + kept.getOrDefault(RecordType.REPLACEMENT, 0L),
        kept.getOrDefault(RecordType.STATE, 0L),
        kept.getOrDefault(RecordType.REMOVAL, 0L));
  }

  private Salvage.Result salvage(Manifest.Entry entry, Salvage.Sink sink) throws IOException {
    if (!disk.list().contains(entry.name())) {
      long lost = entry.isOpen() ? SalvagedSegment.UNKNOWN : entry.length();
      return new Salvage.Result(lost, new RecordCounts());
    }
    try (DiskFile file = disk.open(entry.name())) {
      Salvage.Result found = Salvage.of(file, entry.header(), sink);
      if (entry.isOpen() && file.size() < SegmentHeader.LENGTH) {
        return new Salvage.Result(SalvagedSegment.UNKNOWN, found.kept());
      }
      long cut = Math.max(0, entry.length() - file.size());
      return new Salvage.Result(found.lostBytes() + cut, found.kept());
    }
  }

  /**
   * Repairs the journal. If a write fails, for example because the disk is full, deletes the new
   * files again.
   *
   * @param nowMicros the present time in microseconds, which no new token may be below
   */
  public void run(long nowMicros) throws IOException {
    List<String> replaced = new ArrayList<>();
    try {
      keepCopies(replaced);
      // A rewritten segment can stand for its original in a later repair, so the copy comes first.
      disk.force();
      RecordCounts known = known();
      known.marks(
          known.nextSequence() + SEQUENCES_LOST,
          Math.max(known.tokenCeiling(), nowMicros) + TOKENS_LOST);
      List<Manifest.Entry> entries = entries(known);
      disk.force();
      created.add(FileNames.aside(FileNames.MANIFEST));
      manifest.with(nextFile, entries).write(disk);
    } catch (ForceFailedException e) {
      // The manifest may name the new files already, so they must be kept.
      throw e;
    } catch (IOException | RuntimeException e) {
      deleteCreated(e);
      throw e;
    }
    for (String name : replaced) {
      disk.delete(name);
    }
    disk.force();
  }

  private void deleteCreated(Exception cause) {
    for (String name : created) {
      try {
        disk.delete(name);
      } catch (IOException e) {
        cause.addSuppressed(e);
      }
    }
  }

  private void keepCopies(List<String> replaced) throws IOException {
    for (Manifest.Entry entry : manifest.segments()) {
      if (found.isDamaged(entry)) {
        keepCopy(entry.name());
        replaced.add(entry.name());
      }
    }
    if (found.isManifestLost()) {
      keepCopy(FileNames.MANIFEST);
      new UnnamedSegments(disk, manifest).keepDamaged();
    }
  }

  private void keepCopy(String name) throws IOException {
    if (!disk.list().contains(name)) {
      return;
    }
    try (DiskFile from = disk.open(name);
        DiskFile to = create(FileNames.free(disk, FileNames.damaged(name)))) {
      FileWindow window = new FileWindow(from, name);
      for (long at = 0; at < window.size(); at += FileWindow.PORTION) {
        to.write(window.at(at, FileWindow.PORTION), at);
      }
      to.force();
    }
  }

  private DiskFile create(String name) throws IOException {
    created.add(name);
    return disk.create(name);
  }

  /**
   * Returns the names of queues, the next sequence number and the highest token in all kept records
   * and attempts. Names in later segments take precedence.
   */
  private RecordCounts known() throws IOException {
    RecordCounts known = new RecordCounts();
    for (Manifest.Entry entry : manifest.segments()) {
      known.add(
          found.isDamaged(entry)
              ? salvage(entry, (type, record) -> {}).kept()
              : found.counts(entry));
    }
    for (String name : disk.list()) {
      if (FileNames.isAttempts(name)) {
        addTokens(name, known);
      }
    }
    return known;
  }

  private void addTokens(String attempts, RecordCounts known) throws IOException {
    try (DiskFile file = disk.open(attempts)) {
      AttemptLogReader reader = new AttemptLogReader(file, attempts);
      List<AttemptLog.Attempt> portion = reader.next();
      while (!portion.isEmpty()) {
        portion.forEach(attempt -> known.marks(0, attempt.token()));
        portion = reader.next();
      }
    }
  }

  private List<Manifest.Entry> entries(RecordCounts known) throws IOException {
    List<Manifest.Entry> entries = new ArrayList<>();
    for (Manifest.Entry entry : manifest.segments()) {
      entries.add(found.isDamaged(entry) ? rewrite(entry, known) : entry);
    }
    if (found.isManifestLost()) {
      // A whole segment may be lost. In front, because only the last segment can be open.
      entries.add(0, marks(known));
    }
    return entries;
  }

  /** Writes a segment with the marks alone. The next start repeats them and drops the segment. */
  private Manifest.Entry marks(RecordCounts known) throws IOException {
    int file = newFile();
    long salt = new SecureRandom().nextLong();
    SegmentHeader header = new SegmentHeader(file, file, file, 0, salt, manifest.hashSeed());
    try (DiskFile to = create(FileNames.segment(file))) {
      SegmentWriter writer = new SegmentWriter(to, header);
      writer.records().marks(known.nextSequence(), known.tokenCeiling());
      return writer.end();
    }
  }

  private Manifest.Entry rewrite(Manifest.Entry entry, RecordCounts known) throws IOException {
    SegmentHeader old = entry.header();
    SegmentHeader header =
        old.successor(newFile(), old.last(), old.cleaned(), new SecureRandom().nextLong());
    TreeSet<Integer> queues = new TreeSet<>();
    Salvage.Result unused = salvage(entry, (type, record) -> queues.add(record.getInt(5)));
    queues.remove(0);
    try (DiskFile file = create(FileNames.segment(header.file()))) {
      SegmentWriter writer = new SegmentWriter(file, header);
      writer.records().marks(known.nextSequence(), known.tokenCeiling());
      queues.forEach(queue -> writer.records().queue(queue, name(queue, known)));
      unused = salvage(entry, (type, record) -> copy(writer, type, record));
      return writer.end();
    }
  }

  private static byte[] name(int queue, RecordCounts known) {
    return known
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
