package io.punctual.journal.disk;

import io.punctual.internal.log.Logs;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Creates folders that survive a loss of power, because the entry of each new folder in its parent
 * is forced.
 */
public final class Directories {
  private static final Logger log = Logs.of(Directories.class);
  private static final boolean CAN_BE_FORCED = File.separatorChar != '\\';

  private Directories() {}

  /** Writes the list of a folder's files to the disk. */
  @FunctionalInterface
  public interface Force {
    void force(Path folder) throws IOException;
  }

  /** Creates a folder and its missing parents; returns its real path. */
  public static Path create(Path path, Force force) throws IOException {
    int missing = 0;
    Path there = path.toAbsolutePath();
    while (there != null && !Files.exists(there)) {
      missing++;
      there = there.getParent();
    }
    if (missing > 0) {
      Files.createDirectories(path);
    }
    Path real = path.toRealPath();
    Path above = real.getParent();
    // An existing folder may also have an unforced entry: an earlier process may have created the
    // folder and died.
    for (int i = 0; above != null && i < Math.max(1, missing); i++) {
      forceEntry(above, force, missing > 0);
      above = above.getParent();
    }
    return real;
  }

  private static void forceEntry(Path above, Force force, boolean created) throws IOException {
    try {
      force.force(above);
    } catch (AccessDeniedException e) {
      if (created) {
        throw e;
      }
      log.debug("{} can't be forced, since this process may not read it", above, e);
    }
  }

  /**
   * Writes the list of a folder's files to the disk (fsync). Does nothing on Windows, which has no
   * such call for folders.
   */
  static void force(Path folder) throws IOException {
    try (FileChannel channel = open(folder)) {
      if (channel != null) {
        channel.force(true);
      }
    }
  }

  /**
   * Forces a folder, if its file system can do that; some network file systems can't. Returns
   * whether it was forced.
   *
   * @throws AccessDeniedException if this process may not open the folder
   */
  static boolean tryForce(Path folder, Force force) throws IOException {
    try {
      force.force(folder);
      return true;
    } catch (AccessDeniedException e) {
      throw e;
    } catch (IOException e) {
      log.warn(
          "The folder {} can't be forced ({}). After a loss of power or of the server, files that"
              + " were created, renamed or deleted in it may be as they were before",
          folder,
          FileFailures.description(e));
      return false;
    }
  }

  /** Opens a folder to force it; returns null on Windows. */
  static @Nullable FileChannel open(Path folder) throws IOException {
    return CAN_BE_FORCED ? FileChannel.open(folder, StandardOpenOption.READ) : null;
  }
}
