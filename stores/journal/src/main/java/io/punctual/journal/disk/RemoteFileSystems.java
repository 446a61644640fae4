package io.punctual.journal.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;

/**
 * The types of file systems whose locks and forces may be weaker than documented, because there is
 * a server, a host of virtual machines or a user process between the operating system and the disk.
 */
public final class RemoteFileSystems {
  private static final Set<String> TYPES =
      Set.of(
          "9p",
          "acfs",
          "afpfs",
          "afs",
          "beegfs",
          "ceph",
          "cifs",
          "coda",
          "davfs",
          "fakeowner",
          "fuse",
          "glusterfs",
          "gpfs",
          "lustre",
          "macfuse",
          "moosefs",
          "ncpfs",
          "nfs",
          "nfs3",
          "nfs4",
          "orangefs",
          "osxfs",
          "osxfuse",
          "panfs",
          "prl_fs",
          "pvfs2",
          "smb",
          "smb2",
          "smb3",
          "smbfs",
          "vboxsf",
          "virtiofs",
          "vmhgfs",
          "webdav");

  private RemoteFileSystems() {}

  /** Returns the type of a folder's file system if it is remote, or "". */
  static String typeOf(Path folder) throws IOException {
    if (folder.toString().startsWith("\\\\")) {
      return "a Windows share";
    }
    String type = Files.getFileStore(folder).type();
    return isRemote(type) ? type : "";
  }

  /**
   * Whether a type of file system counts as remote. All types of FUSE do, except {@code fuseblk},
   * which is used for local block devices, for example with NTFS.
   */
  public static boolean isRemote(String type) {
    String name = type.toLowerCase(Locale.ROOT);
    return TYPES.contains(name) || name.startsWith("fuse.");
  }
}
