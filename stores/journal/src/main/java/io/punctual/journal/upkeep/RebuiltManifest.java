package io.punctual.journal.upkeep;

import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.DiskFile;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.disk.FileWindow;
import io.punctual.journal.format.Manifest;
import io.punctual.journal.format.SegmentHeader;
import io.punctual.journal.format.SegmentScan;
import io.punctual.journal.report.JournalDamagedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Rebuilds a lost manifest from the headers of the existing segments. If two files represent the
 * same segment number, the file with the higher file number is used if it was ended. Otherwise that
 * file is an unfinished copy, and the earlier file is used.
 */
final class RebuiltManifest {
  private final Disk disk;
  private final List<Manifest.Entry> entries = new ArrayList<>();

  /** The segments without frames. */
  private final Set<Manifest.Entry> empty = new HashSet<>();

  private RebuiltManifest(Disk disk) {
    this.disk = disk;
  }

  /**
   * Rebuilds a manifest.
   *
   * @throws JournalDamagedException if no segment has a readable header
   */
  static Manifest of(Disk disk) throws IOException {
    RebuiltManifest rebuilt = new RebuiltManifest(disk);
    int next = 1;
    for (String name : disk.list()) {
      next = Math.max(next, FileNames.number(name) + 1);
      if (FileNames.isSegment(name)) {
        rebuilt.add(name);
      }
    }
    rebuilt.dropReplaced();
    rebuilt.dropUnbegun();
    rebuilt.endAllButLast();
    if (rebuilt.entries.isEmpty()) {
      throw new JournalDamagedException(
          FileNames.MANIFEST, 0, "it is lost, and so is the header of every segment");
    }
    long seed = rebuilt.entries.get(0).header().hashSeed();
    return new Manifest(new SecureRandom().nextLong(), seed, next, List.copyOf(rebuilt.entries));
  }

  private void add(String name) throws IOException {
    try (DiskFile file = disk.open(name)) {
      ByteBuffer bytes = new FileWindow(file, name).at(0, SegmentHeader.LENGTH);
      Manifest.Entry entry = entry(SegmentHeader.decode(bytes, name), file, name);
      entries.add(entry);
      if (file.size() == SegmentHeader.LENGTH) {
        empty.add(entry);
      }
    } catch (JournalDamagedException e) {
      // A file without a readable header may be needed or not. The repair renames it and keeps it.
    }
  }

  private static Manifest.Entry entry(SegmentHeader header, DiskFile file, String name)
      throws IOException {
    try {
      SegmentScan scan = SegmentScan.of(file, name, new RecordCounts());
      if (scan.hasFooter() && scan.trouble() == null) {
        return new Manifest.Entry(header, file.size(), scan.checksum());
      }
    } catch (JournalDamagedException e) {
      // A record is malformed. The verification finds it again, and the repair keeps the others.
    }
    return new Manifest.Entry(header, 0, 0);
  }

  private void dropReplaced() {
    List<Manifest.Entry> best = new ArrayList<>(entries);
    best.sort(Comparator.comparing(Manifest.Entry::isOpen).thenComparing(RebuiltManifest::rank));
    List<Manifest.Entry> taken = new ArrayList<>();
    for (Manifest.Entry entry : best) {
      if (taken.stream().noneMatch(one -> one.header().overlaps(entry.header()))) {
        taken.add(entry);
      }
    }
    entries.clear();
    taken.sort(Comparator.comparing(entry -> entry.header().first()));
    entries.addAll(taken);
  }

  /**
   * Drops the last segment if it has no frames, since the owner creates a segment before it ends
   * the previous one.
   */
  private void dropUnbegun() {
    int last = entries.size() - 1;
    if (last > 0 && empty.contains(entries.get(last))) {
      entries.remove(last);
    }
  }

  /**
   * Ends the open segments before the last segment, with a length that the verification finds
   * wrong. A segment is ended before the next segment has a frame, so their footers are lost.
   */
  private void endAllButLast() {
    for (int i = 0; i < entries.size() - 1; i++) {
      if (entries.get(i).isOpen()) {
        SegmentHeader header = entries.get(i).header();
        entries.set(i, new Manifest.Entry(header, SegmentHeader.LENGTH, 0));
      }
    }
  }

  /**
   * Returns the rank of a segment's file among the files of the same kind; the lowest rank is
   * first. Ended segments rank from the latest file to the earliest file, open segments from the
   * earliest file to the latest file.
   */
  private static int rank(Manifest.Entry entry) {
    return entry.isOpen() ? entry.header().file() : -entry.header().file();
  }
}
