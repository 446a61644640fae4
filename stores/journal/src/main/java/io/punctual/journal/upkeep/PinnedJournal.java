package io.punctual.journal.upkeep;

import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.disk.PinnedDisk;
import io.punctual.journal.format.Manifest;
import io.punctual.journal.report.JournalDamagedException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A manifest and the open files of its journal; {@link #close} closes the files. The manifest's own
 * file is not kept open, because Windows does not let the owner replace a file that is open.
 *
 * @param manifest the manifest that names the segments
 * @param disk the open files
 */
record PinnedJournal(Manifest manifest, PinnedDisk disk) implements AutoCloseable {
  private static final int MAX_TRIES = 100;
  private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

  /**
   * Opens the files of a journal. If the owner deletes a file before it is opened, reads the new
   * manifest and opens its files.
   *
   * @throws JournalDamagedException if the manifest is damaged or is missing although there are
   *     segments, or if a segment is missing
   */
  static PinnedJournal of(Disk folder) throws IOException {
    for (int tries = 1; ; tries++) {
      Manifest manifest = manifest(folder);
      PinnedDisk disk = new PinnedDisk(folder);
      try {
        pin(folder, manifest, disk);
        return new PinnedJournal(manifest, disk);
      } catch (NoSuchFileException e) {
        try (disk) {
          requireSegments(folder, manifest);
          if (tries == MAX_TRIES) {
            throw e;
          }
        }
        LockSupport.parkNanos(PAUSE_NANOS * tries);
      } catch (Throwable e) {
        try (disk) {
          throw e;
        }
      }
    }
  }

  /**
   * Reads the manifest. A missing manifest is damage if there are segments, because the owner
   * writes the manifest before the first segment and never deletes it.
   */
  private static Manifest manifest(Disk folder) throws IOException {
    boolean hasSegments = folder.list().stream().anyMatch(FileNames::isSegment);
    try {
      return Manifest.read(folder);
    } catch (NoSuchFileException e) {
      if (hasSegments) {
        throw StartFiles.manifestMissing();
      }
      throw e;
    }
  }

  private static void pin(Disk folder, Manifest manifest, PinnedDisk disk) throws IOException {
    Set<String> listed = new HashSet<>(folder.list());
    for (Manifest.Entry entry : manifest.segments()) {
      disk.pin(entry.name());
      String hint = FileNames.hint(entry.header().file());
      if (listed.contains(hint)) {
        disk.pin(hint);
      }
    }
    for (String name : listed) {
      if (FileNames.isAttempts(name)) {
        disk.pin(name);
      }
    }
  }

  /**
   * Throws if a segment of the current manifest is missing. The folder is listed before the
   * manifest is read again. The owner removes a segment from the manifest before it deletes the
   * file. A segment that the unchanged manifest names, but the list lacks, is therefore lost.
   */
  private static void requireSegments(Disk folder, Manifest manifest) throws IOException {
    Set<String> listed = new HashSet<>(folder.list());
    if (!manifest(folder).equals(manifest)) {
      return;
    }
    for (Manifest.Entry entry : manifest.segments()) {
      if (!listed.contains(entry.name())) {
        throw new JournalDamagedException(entry.name(), 0, "the file is missing");
      }
    }
  }

  @Override
  public void close() throws IOException {
    disk.close();
  }
}
