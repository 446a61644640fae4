package io.punctual.journal.disk;

import io.punctual.PunctualException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * An open folder of a journal. Closing the {@code ownership} releases the lock on the folder, if
 * the folder was opened with a lock.
 */
public record Folder(Disk disk, AutoCloseable ownership) {
  /**
   * Opens a folder to own it: creates it if it does not exist, and locks it against other owners.
   */
  public static Folder take(Path path, boolean allowRemote) throws IOException {
    return take(path, allowRemote, Directories::force);
  }

  static Folder take(Path path, boolean allowRemote, Directories.Force force) throws IOException {
    if (Files.exists(path) && !Files.isDirectory(path)) {
      throw new PunctualException(path + " is a file; a journal is a folder");
    }
    Path real =
        Directories.create(path, allowRemote ? above -> Directories.tryForce(above, force) : force);
    String type = allowRemote ? "" : RemoteFileSystems.typeOf(real);
    if (!type.isEmpty()) {
      throw new PunctualException(
          "The journal "
              + real
              + " is on a network file system ("
              + type
              + "), where locks and forces promise less than they say. Use a local disk, or say"
              + " networkFileSystem=allow");
    }
    Owners.Ownership ownership = Owners.take(real);
    FileChannel directory = null;
    try {
      boolean isForced = !allowRemote || Directories.tryForce(real, force);
      directory = isForced ? Directories.open(real) : null;
      FileChannel opened = directory;
      return new Folder(new FolderDisk(real, ownership, opened), () -> giveUp(ownership, opened));
    } catch (Throwable e) {
      try (FileChannel opened = directory;
          ownership) {
        throw e;
      }
    }
  }

  private static void giveUp(Owners.Ownership ownership, @Nullable FileChannel directory)
      throws IOException {
    try (directory;
        ownership) {
      // Closes the ownership first.
    }
  }

  /** Opens a folder to read it, even if a process owns it. Takes no lock and writes nothing. */
  public static Folder read(Path path) throws IOException {
    return new Folder(FolderDisk.pinning(path.toRealPath()), () -> {});
  }

  /**
   * Opens an existing folder to read it, and locks it against owners if it has a lock file. Writes
   * nothing to the disk.
   */
  public static Folder look(Path path) throws IOException {
    Path real = path.toRealPath();
    return new Folder(new FolderDisk(real, () -> {}, null), Owners.look(real));
  }
}
