package io.punctual.journal;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** The manifest as it is on disk, and its changes. Safe for use by many threads. */
final class ManifestFile {
  private final Disk disk;
  private final AtomicInteger nextFile;
  private final long hashSeed;
  private Manifest manifest;

  ManifestFile(Disk disk, Manifest manifest) {
    this.disk = disk;
    this.manifest = manifest;
    hashSeed = manifest.hashSeed();
    this.nextFile = new AtomicInteger(manifest.nextFile());
  }

  /** The number of a file that is to be made; none is given twice. */
  int newFile() {
    return nextFile.getAndIncrement();
  }

  long hashSeed() {
    return hashSeed;
  }

  synchronized Manifest manifest() {
    return manifest;
  }

  /** Changes the list of segments, on disk and then here; the change is safe on return. */
  synchronized void change(UnaryOperator<List<Manifest.Entry>> change) throws IOException {
    List<Manifest.Entry> entries = change.apply(new ArrayList<>(manifest.segments()));
    Manifest changed = manifest.with(nextFile.get(), entries);
    changed.write(disk);
    manifest = changed;
  }
}
