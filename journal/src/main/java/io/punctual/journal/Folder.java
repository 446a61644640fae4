package io.punctual.journal;

import io.punctual.PunctualException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/** A journal's folder that this process owns, until it is closed. */
record Folder(Disk disk, AutoCloseable ownership) {
  private static final Set<String> NETWORK =
      Set.of("nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "afs", "9p", "ceph", "lustre");

  /** Makes the folder if it is not there, and takes it. */
  static Folder take(Path path, boolean allowNetwork) throws IOException {
    Files.createDirectories(path);
    Path real = path.toRealPath();
    String type = Files.getFileStore(real).type();
    if (!allowNetwork && (NETWORK.contains(type) || type.startsWith("fuse.sshfs"))) {
      throw new PunctualException(
          "The journal "
              + real
              + " is on a network file system ("
              + type
              + "), where locks and forces promise less than they say. Use a local disk, or say"
              + " networkFileSystem=allow");
    }
    return new Folder(new FolderDisk(real), Owners.take(real));
  }
}
