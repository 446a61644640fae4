package io.punctual.journal;

import io.punctual.StoreUnavailableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Makes a process the one owner of a folder: with a lock on a file among processes, and with a list
 * of paths within this one, since a process never locks itself out, and gives up its locks on a
 * file with the first channel to it that it closes. Safe for use by many threads.
 */
final class Owners {
  /** The real paths of the folders that this process owns. */
  private static final Set<Path> OWNED = new HashSet<>();

  /** Never closed: that would end the lock that the same class has in another class loader. */
  private static final List<FileChannel> LEFT_OPEN = new ArrayList<>();

  private Owners() {}

  /** An owned folder; closed to give it up. */
  record Ownership(Path folder, FileChannel channel) implements AutoCloseable {
    @Override
    public void close() throws IOException {
      synchronized (OWNED) {
        channel.close();
        OWNED.remove(folder);
      }
    }
  }

  /**
   * Takes a folder.
   *
   * @param folder its real path
   * @throws StoreUnavailableException if it has an owner; the message names it
   */
  static Ownership take(Path folder) throws IOException {
    synchronized (OWNED) {
      if (OWNED.contains(folder)) {
        throw taken(folder, "this process (pid " + ProcessHandle.current().pid() + ")");
      }
      Ownership ownership = lock(folder);
      OWNED.add(folder);
      return ownership;
    }
  }

  private static Ownership lock(Path folder) throws IOException {
    Path file = folder.resolve(FileNames.OWNER);
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    boolean complete = false;
    try {
      FileLock lock = channel.tryLock();
      if (lock == null) {
        String pid = Files.readString(file).strip();
        throw taken(folder, pid.isEmpty() ? "another process" : "the process " + pid);
      }
      channel.truncate(0);
      String pid = "pid " + ProcessHandle.current().pid() + "\n";
      channel.write(ByteBuffer.wrap(pid.getBytes(StandardCharsets.US_ASCII)), 0);
      complete = true;
      return new Ownership(folder, channel);
    } catch (OverlappingFileLockException e) {
      complete = true;
      LEFT_OPEN.add(channel);
      throw taken(folder, "this process, by another class loader");
    } finally {
      if (!complete) {
        channel.close();
      }
    }
  }

  private static StoreUnavailableException taken(Path folder, String owner) {
    return new StoreUnavailableException(
        "The journal "
            + folder
            + " is open in "
            + owner
            + ". One process owns a journal at a time: close it there, or use a store that many"
            + " processes share, such as redis://",
        null);
  }
}
