package io.punctual.journal.format;

import io.punctual.PunctualException;
import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.DiskFile;
import io.punctual.journal.disk.FileNames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The current manifest, in memory and on disk. Safe for use by many threads. */
public final class ManifestFile {
  private final Disk disk;
  private final AtomicInteger nextFile;
  private final long hashSeed;
  private Manifest manifest;

  /** The file for the next change, if {@link #reserve} has created it. */
  private @Nullable DiskFile reserved;

  public ManifestFile(Disk disk, Manifest manifest) {
    this.disk = disk;
    this.manifest = manifest;
    hashSeed = manifest.hashSeed();
    this.nextFile = new AtomicInteger(manifest.nextFile());
  }

  /**
   * Returns the number for a new file. Each number is used once.
   *
   * @throws PunctualException if all numbers are used
   */
  public int newFile() {
    int file = nextFile.getAndUpdate(next -> next == Integer.MAX_VALUE ? next : next + 1);
    if (file == Integer.MAX_VALUE) {
      throw new PunctualException(
          String.format(
              Locale.ROOT,
              "The journal %s has used all %d file numbers; schedule its messages in a new folder",
              disk.describe(),
              file - 1));
    }
    return file;
  }

  public long hashSeed() {
    return hashSeed;
  }

  public synchronized Manifest manifest() {
    return manifest;
  }

  /**
   * Changes the list of segments on disk, and then in memory. The change on disk survives a loss of
   * power once this method returns.
   */
  public synchronized void change(UnaryOperator<List<Manifest.Entry>> change) throws IOException {
    List<Manifest.Entry> entries = change.apply(new ArrayList<>(manifest.segments()));
    Manifest changed = manifest.with(nextFile.get(), entries);
    DiskFile file = reserved;
    reserved = null;
    changed.write(disk, file == null ? Manifest.create(disk) : file);
    manifest = changed;
  }

  /** Creates the file for the next change, so that this change needs no further file. */
  public synchronized void reserve() throws IOException {
    if (reserved == null) {
      reserved = Manifest.create(disk);
    }
  }

  /** Deletes the file that {@link #reserve} has created. Call {@link #release} before. */
  public synchronized void deleteReserved() throws IOException {
    disk.delete(FileNames.aside(FileNames.MANIFEST));
  }

  /** Closes the file that {@link #reserve} has created, if no change has used it. */
  public synchronized void release() throws IOException {
    DiskFile unused = reserved;
    reserved = null;
    if (unused != null) {
      unused.close();
    }
  }
}
