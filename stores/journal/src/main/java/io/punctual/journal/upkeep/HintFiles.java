package io.punctual.journal.upkeep;

import io.punctual.internal.log.Logs;
import io.punctual.journal.disk.CleanUp;
import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.disk.Space;
import io.punctual.journal.format.HintFile;
import io.punctual.journal.format.Manifest;
import io.punctual.journal.format.ManifestFile;
import io.punctual.journal.report.JournalDamagedException;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;

/**
 * Writes the missing hints (see {@link HintFile}) of ended segments. For the compactor's thread
 * alone.
 */
public final class HintFiles {
  private static final Logger log = Logs.of(HintFiles.class);

  private final Disk disk;
  private final ManifestFile manifest;
  private final Space space;
  private final Compaction.Pace pace;
  private final Set<String> impossible = new HashSet<>();

  public HintFiles(Disk disk, ManifestFile manifest, Space space, Compaction.Pace pace) {
    this.disk = disk;
    this.manifest = manifest;
    this.space = space;
    this.pace = pace;
  }

  /** Writes the missing hints for which the disk has enough free space. */
  public void write() throws IOException, InterruptedException {
    List<String> files = disk.list();
    for (Manifest.Entry entry : manifest.manifest().segments()) {
      String name = FileNames.hint(entry.header().file());
      if (!entry.isOpen() && !files.contains(name) && isPossible(entry, name)) {
        pace.written(write(entry, name));
      }
    }
  }

  /**
   * Whether a hint can be written. The length of the segment is an upper bound of the needed space.
   */
  private boolean isPossible(Manifest.Entry entry, String name) throws IOException {
    return !impossible.contains(name) && space.spareBytes() > entry.length();
  }

  private int write(Manifest.Entry entry, String name) throws IOException {
    try {
      return HintFile.write(disk, entry);
    } catch (JournalDamagedException e) {
      log.error(e.getMessage());
      impossible.add(name);
      disk.delete(FileNames.aside(name));
      return 0;
    } catch (Throwable e) {
      try (CleanUp deleted = () -> disk.delete(FileNames.aside(name))) {
        throw e;
      }
    }
  }
}
