package io.punctual.journal.disk;

import io.punctual.PunctualException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A journal's folder that this process owns, or reads while no process owns it, until closed. */
public record Folder(Disk disk, AutoCloseable ownership) {
  /** Makes the folder if it is not there, and takes it. */
  public static Folder take(Path path, boolean allowRemote) throws IOException {
    if (Files.exists(path) && !Files.isDirectory(path)) {
      throw new PunctualException(path + " is a file; a journal is a folder");
    }
    Path real = Directories.create(path, Directories::force);
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
    return new Folder(new FolderDisk(real, ownership::check), ownership);
  }

  /** Reads a folder whether or not a process owns it; keeps no owner out, and writes nothing. */
  public static Folder read(Path path) throws IOException {
    return new Folder(new FolderDisk(path.toRealPath(), () -> {}), () -> {});
  }

  /** Keeps owners out of a folder that is there, only to read it; writes nothing to the disk. */
  public static Folder look(Path path) throws IOException {
    Path real = path.toRealPath();
    return new Folder(new FolderDisk(real, () -> {}), Owners.look(real));
  }
}
