package io.punctual.journal;

import java.io.IOException;
import java.util.List;

/** Sees to it that every ended segment has a hint. For the compactor's thread alone. */
final class Hints {
  private final Disk disk;
  private final ManifestFile manifest;
  private final Compaction.Pace pace;

  Hints(Disk disk, ManifestFile manifest, Compaction.Pace pace) {
    this.disk = disk;
    this.manifest = manifest;
    this.pace = pace;
  }

  /** Writes the hints that are missing. */
  void write() throws IOException, InterruptedException {
    List<String> files = disk.list();
    for (Manifest.Entry entry : manifest.manifest().segments()) {
      String name = FileNames.hint(entry.header().file());
      if (!entry.isOpen() && !files.contains(name)) {
        pace.written(write(entry, name));
      }
    }
  }

  private int write(Manifest.Entry entry, String name) throws IOException {
    boolean complete = false;
    try {
      int bytes = Hint.write(disk, entry);
      complete = true;
      return bytes;
    } finally {
      if (!complete) {
        disk.delete(FileNames.aside(name));
      }
    }
  }
}
