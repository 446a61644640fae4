package io.punctual.journal.disk;

import io.punctual.internal.log.Logs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import org.slf4j.Logger;

/**
 * The types of file systems whose locks and forces may be weaker than documented, because there is
 * a server, a host of virtual machines or a user process between the operating system and the disk.
 */
public final class RemoteFileSystems {
  private static final Logger log = Logs.of(RemoteFileSystems.class);

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

  /**
   * Returns the type of a folder's file system if it is remote, or "". A file system without an
   * entry in the table of mounts, as in a chroot, counts as local.
   */
  static String typeOf(Path folder) {
    if (folder.toString().startsWith("\\\\")) {
      return "a Windows share";
    }
    try {
      String type = Files.getFileStore(folder).type();
      return isRemote(type) ? type : "";
    } catch (IOException e) {
      log.warn(
          "The type of the file system of {} is unknown ({}). Locks and forces promise less on a"
              + " network file system",
          folder,
          e.getMessage());
      return "";
    }
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
