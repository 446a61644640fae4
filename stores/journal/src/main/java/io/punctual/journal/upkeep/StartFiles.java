package io.punctual.journal.upkeep;

import io.punctual.internal.log.Logs;
import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.FileFailures;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.format.Manifest;
import io.punctual.journal.report.JournalDamagedException;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;

/** Reads or creates the manifest at a start, and deletes files that are not needed. */
public final class StartFiles {
  private static final Logger log = Logs.of(StartFiles.class);

  private StartFiles() {}

  /**
   * Reads the manifest, or creates the manifest of a new journal.
   *
   * @throws JournalDamagedException if the manifest is damaged, is missing although there are
   *     segments, or is older than the segments
   */
  public static Manifest manifest(Disk disk) throws IOException {
    List<String> files = disk.list();
    if (files.contains(FileNames.MANIFEST)) {
      return read(disk);
    }
    if (files.stream().anyMatch(FileNames::isSegment)) {
      throw manifestMissing();
    }
    SecureRandom random = new SecureRandom();
    Manifest created = new Manifest(random.nextLong(), random.nextLong(), 1, List.of());
    created.write(disk);
    return created;
  }

  /** Returns an exception for a folder that has segments but no manifest. */
  static JournalDamagedException manifestMissing() {
    return new JournalDamagedException(
        FileNames.MANIFEST, 0, "the file is missing, but there are segments");
  }

  private static Manifest read(Disk disk) throws IOException {
    Manifest manifest = Manifest.read(disk);
    UnnamedSegments unnamed = new UnnamedSegments(disk, manifest);
    List<String> newer = unnamed.newerThanManifest();
    if (!newer.isEmpty()) {
      throw UnnamedSegments.outdated(newer);
    }
    // A new file must not get the number of a damaged file, which is renamed only later.
    int next = FileNames.highest(unnamed.damaged()) + 1;
    return manifest.with(Math.max(manifest.nextFile(), next), manifest.segments());
  }

  /**
   * Deletes unfinished and unneeded files, and invalid hints. Keeps unnamed segments with a damaged
   * header, under a different name.
   *
   * @param hints the valid hints
   * @param attempts the name of this run's file of attempts
   */
  public static void deleteLeftovers(
      Disk disk, Manifest manifest, Set<String> hints, String attempts) throws IOException {
    List<String> kept = new ArrayList<>(List.of(attempts));
    for (Manifest.Entry entry : manifest.segments()) {
      kept.add(entry.name());
      String hint = FileNames.hint(entry.header().file());
      if (hints.contains(hint)) {
        kept.add(hint);
      }
    }
    new UnnamedSegments(disk, manifest).keepDamaged();
    for (String name : disk.list()) {
      if (FileNames.isMade(name) && !kept.contains(name)) {
        delete(disk, name);
      }
    }
    disk.force();
  }

  /** Deletes a file that is not needed, or leaves it to a later start. */
  static void delete(Disk disk, String name) {
    try {
      disk.delete(name);
    } catch (IOException e) {
      log.warn(
          "The journal {} no longer needs its file {}, but can't delete it ({}); the next start"
              + " tries again",
          disk.describe(),
          name,
          FileFailures.reason(e));
    }
  }
}
