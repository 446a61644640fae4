package io.punctual.journal.upkeep;

import io.punctual.journal.disk.DiskFile;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.format.Manifest;
import io.punctual.journal.format.SegmentScan;
import io.punctual.journal.report.Damage;
import io.punctual.journal.report.JournalDamagedException;
import io.punctual.journal.report.SegmentReport;
import io.punctual.journal.report.VerificationReport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the manifest and the segments of a journal, and records the damage. Reads each segment up
 * to its first damaged frame. For one thread.
 */
public final class Verification {
  private final SalvageDisk disk;
  private final List<SegmentReport> segments = new ArrayList<>();
  private final List<Damage> damage = new ArrayList<>();
  private final Set<Manifest.Entry> damaged = new LinkedHashSet<>();
  private final Map<Manifest.Entry, RecordCounts> counts = new HashMap<>();
  private @Nullable Manifest manifest;
  private boolean manifestLost;

  private Verification(SalvageDisk disk) {
    this.disk = disk;
  }

  public static Verification of(SalvageDisk disk) throws IOException {
    Verification verification = new Verification(disk);
    verification.run();
    return verification;
  }

  public VerificationReport report() {
    return new VerificationReport(List.copyOf(segments), List.copyOf(damage));
  }

  /**
   * The manifest, or a manifest that was rebuilt from the segments; null if it is lost and can't be
   * rebuilt.
   */
  @Nullable Manifest manifest() {
    return manifest;
  }

  boolean isManifestLost() {
    return manifestLost;
  }

  boolean isDamaged(Manifest.Entry entry) {
    return damaged.contains(entry);
  }

  /** The counts of the records in a segment that is not damaged. */
  RecordCounts counts(Manifest.Entry entry) {
    return counts.getOrDefault(entry, new RecordCounts());
  }

  private void run() throws IOException {
    try {
      Manifest read = readManifest();
      manifest = read;
      for (Manifest.Entry entry : read.segments()) {
        verify(entry);
      }
    } catch (JournalDamagedException e) {
      damage.add(damage(e));
    }
  }

  private Manifest readManifest() throws IOException {
    try {
      if (disk.list().contains(FileNames.MANIFEST)) {
        Manifest read = Manifest.read(disk);
        List<String> newer = new UnnamedSegments(disk, read).newerThanManifest();
        if (newer.isEmpty()) {
          return read;
        }
        throw UnnamedSegments.outdated(newer);
      }
      damage.add(new Damage(FileNames.MANIFEST, 0, "the file is missing"));
    } catch (JournalDamagedException e) {
      damage.addAll(disk.unreadable(FileNames.MANIFEST));
      damage.add(damage(e));
    }
    manifestLost = true;
    Manifest rebuilt = RebuiltManifest.of(disk);
    noteDamagedHeaders(rebuilt);
    return rebuilt;
  }

  private void noteDamagedHeaders(Manifest rebuilt) throws IOException {
    for (String name : new UnnamedSegments(disk, rebuilt).damaged()) {
      damage.add(new Damage(name, 0, "its header is damaged; a repair keeps it aside"));
    }
  }

  private void verify(Manifest.Entry entry) throws IOException {
    if (!disk.list().contains(entry.name())) {
      note(entry, new Damage(entry.name(), 0, "the file is missing"));
      return;
    }
    try (DiskFile file = disk.open(entry.name())) {
      RecordCounts read = new RecordCounts();
      SegmentScan scan = SegmentScan.of(file, entry.name(), read);
      counts.put(entry, read);
      segments.add(read.report(entry, file.size(), scan));
      if (!scan.header().equals(entry.header())) {
        String other = "this is another segment than the manifest says";
        note(entry, new Damage(entry.name(), 0, other));
      } else if (isDamaged(scan, entry, file.size())) {
        note(entry, damage(scan.damage()));
      }
    } catch (JournalDamagedException e) {
      note(entry, damage(e));
    }
    disk.unreadable(entry.name()).forEach(place -> note(entry, place));
  }

  private void note(Manifest.Entry entry, Damage found) {
    damage.add(found);
    damaged.add(entry);
  }

  private static boolean isDamaged(SegmentScan scan, Manifest.Entry entry, long size)
      throws IOException {
    if (entry.isOpen()) {
      return scan.trouble() != null && (scan.hasFooter() || scan.isTroubleAfterForce());
    }
    return scan.trouble() != null
        || !scan.hasFooter()
        || size != entry.length()
        || scan.checksum() != entry.checksum();
  }

  private static Damage damage(JournalDamagedException e) {
    return new Damage(e.file(), e.offset(), e.reason());
  }
}
