package io.punctual.journal.disk;

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
import java.nio.file.attribute.BasicFileAttributes;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes a process the only owner of a folder. A lock on a file excludes other processes, and a set
 * of paths excludes other owners in this process. The set is needed because a file lock does not
 * exclude its own process, and a process loses all its locks on a file when it closes any channel
 * to the file. Safe for use by many threads.
 */
final class Owners {
  /** The real paths of the folders that this process owns. */
  private static final Set<Path> OWNED = new HashSet<>();

  /** The room for the content of the lock file, in bytes; the content is always shorter. */
  private static final int TEXT_BYTES = 64;

  /**
   * Channels by folder that stay open while this class owns the folder in a different class loader,
   * because a close would release that lock.
   */
  private static final Map<Path, FileChannel> LEFT_OPEN = new HashMap<>();

  private Owners() {}

  /**
   * A folder that no other process can own until this object is closed, unless {@code channel} is
   * null.
   *
   * @param channel the channel to the lock file, which has the lock; null if there is no lock file
   * @param key the identity of the lock file; null if there is no lock file, or the file system has
   *     no identities
   * @param text the content of the lock file, different for each owner; empty if the lock is
   *     shared, or there is no lock file
   */
  record Ownership(Path folder, @Nullable FileChannel channel, @Nullable Object key, String text)
      implements AutoCloseable, FolderDisk.OwnerCheck {
    @Override
    public void close() throws IOException {
      synchronized (OWNED) {
        if (channel != null) {
          channel.close();
        }
        OWNED.remove(folder);
      }
    }

    /**
     * Throws if another process may own the folder: the lock file was deleted or replaced, or
     * another process took the lock after code of this process had closed the file.
     */
    @Override
    public void run() throws IOException {
      Path file = folder.resolve(FileNames.OWNER);
      if (!Files.exists(file) || !Objects.equals(key, keyOf(file))) {
        throw lost();
      }
      readName();
    }

    @Override
    public void readName() throws IOException {
      if (!text.equals(read())) {
        throw lost();
      }
    }

    private static IOException lost() {
      return new IOException(
          "its file "
              + FileNames.OWNER
              + " has been deleted, replaced or taken over since the journal was opened, so"
              + " another process may own the folder");
    }

    /**
     * Reads the lock file through the channel that has the lock, because closing a second channel
     * would release the lock.
     */
    private String read() throws IOException {
      ByteBuffer bytes = ByteBuffer.allocate(TEXT_BYTES);
      int count = channel == null ? 0 : channel.read(bytes, 0);
      return new String(bytes.array(), 0, Math.max(0, count), StandardCharsets.US_ASCII);
    }
  }

  /** The identity of a file; null if the file system has no identities. */
  static @Nullable Object keyOf(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
  }

  /**
   * Makes this process the owner of a folder.
   *
   * @param folder the real path of the folder
   * @throws StoreUnavailableException if the folder has an owner; the message names the owner, if
   *     it is known
   */
  static Ownership take(Path folder) throws IOException {
    return own(
        folder,
        () ->
            lock(
                folder,
                Set.of(
                    StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
                false));
  }

  /**
   * Locks a folder against owners, if it has a lock file. Writes nothing, so the folder may be on a
   * read-only mount.
   *
   * @param folder the real path of the folder
   * @throws StoreUnavailableException if the folder has an owner; the message names the owner, if
   *     it is known
   */
  static Ownership look(Path folder) throws IOException {
    return own(
        folder,
        () ->
            Files.exists(folder.resolve(FileNames.OWNER))
                ? lock(folder, Set.of(StandardOpenOption.READ), true)
                : new Ownership(folder, null, null, ""));
  }

  /** A way to lock a folder. */
  @FunctionalInterface
  private interface Locking {
    Ownership lock() throws IOException;
  }

  private static Ownership own(Path folder, Locking locking) throws IOException {
    synchronized (OWNED) {
      if (OWNED.contains(folder)) {
        throw taken(folder, "this process (pid " + ProcessHandle.current().pid() + ")");
      }
      closeLeftOpen(folder);
      Ownership ownership = locking.lock();
      OWNED.add(folder);
      return ownership;
    }
  }

  /**
   * Closes the channel that an earlier call left open, if the owner in the other class loader has
   * released the folder.
   */
  private static void closeLeftOpen(Path folder) throws IOException {
    FileChannel left = LEFT_OPEN.remove(folder);
    if (left == null) {
      return;
    }
    try {
      FileLock unused = left.tryLock(0, Long.MAX_VALUE, true);
    } catch (OverlappingFileLockException e) {
      LEFT_OPEN.put(folder, left);
      throw taken(folder, "this process, by another class loader");
    }
    left.close();
  }

  private static Ownership lock(Path folder, Set<StandardOpenOption> options, boolean shared)
      throws IOException {
    Path file = folder.resolve(FileNames.OWNER);
    FileChannel channel = FileChannel.open(file, options);
    try {
      if (channel.tryLock(0, Long.MAX_VALUE, shared) == null) {
        throw taken(folder, otherOwner(file));
      }
      String text = shared ? "" : name(channel);
      return new Ownership(folder, channel, keyOf(file), text);
    } catch (OverlappingFileLockException e) {
      LEFT_OPEN.put(folder, channel);
      throw taken(folder, "this process, by another class loader");
    } catch (Throwable e) {
      try (channel) {
        throw e;
      }
    }
  }

  /** Writes the owner into the lock file: its pid, and a random number that no other owner has. */
  private static String name(FileChannel channel) throws IOException {
    long pid = ProcessHandle.current().pid();
    String text = String.format(Locale.ROOT, "pid %d\n%016x\n", pid, new SecureRandom().nextLong());
    channel.truncate(0);
    channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)), 0);
    return text;
  }

  private static String otherOwner(Path file) {
    try {
      String pid = Files.readString(file).lines().findFirst().orElse("");
      return pid.isEmpty() ? "another process" : "the process " + pid;
    } catch (IOException e) {
      // On Windows, a process can't read a file that another process has locked.
      return "another process";
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
