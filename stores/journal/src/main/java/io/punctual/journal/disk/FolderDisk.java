package io.punctual.journal.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A folder in a file system of the operating system. Safe for use by many threads. */
final class FolderDisk implements Disk {
  private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Path folder;
  private final OwnerCheck owner;

  /**
   * An open channel to the folder, so that a force needs no free file descriptor. Null if the
   * folder can't be forced, or is only read.
   */
  private final @Nullable FileChannel directory;

  private volatile long checkedNanos = System.nanoTime();
  private volatile long identityCheckedNanos = System.nanoTime();

  /** Checks whether this process still owns the folder. */
  @FunctionalInterface
  interface OwnerCheck {
    /** Throws if this process no longer owns the folder or its lock. */
    void run() throws IOException;

    /** Throws if another process has written its name into the lock file. Costs a short read. */
    default void readName() throws IOException {}
  }

  FolderDisk(Path folder, OwnerCheck owner, @Nullable FileChannel directory) {
    this.folder = folder;
    this.owner = owner;
    this.directory = directory;
    // Loads the class, which may not load any more once the process has too many open files.
    IOException unused = new CreateFailedException(new IOException(folder.toString()));
  }

  /**
   * Throws if another process may own the folder, for example after the folder was moved and
   * another process created a folder at its path. The writer handles this like a failed force,
   * because files that were created since the last check may be in the folder of the other process.
   */
  private void checkOwner() throws ForceFailedException {
    try {
      owner.run();
      checkedNanos = System.nanoTime();
    } catch (IOException e) {
      throw new ForceFailedException("The folder " + folder, e);
    }
  }

  /**
   * Throws if another owner has the folder. A new owner writes its name before it reads the
   * segments. So bytes that were written before this check are confirmed only if a later owner
   * reads them.
   */
  private void checkName() throws ForceFailedException {
    try {
      owner.readName();
    } catch (IOException e) {
      throw new ForceFailedException("The folder " + folder, e);
    }
  }

  private void checkOwnerNowAndThen() throws ForceFailedException {
    if (System.nanoTime() - checkedNanos > CHECK_NANOS) {
      checkOwner();
    }
  }

  @Override
  public String describe() {
    return folder.toString();
  }

  @Override
  public List<String> list() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> String.valueOf(file.getFileName())).toList();
    }
  }

  @Override
  public DiskFile create(String name) throws IOException {
    try {
      return file(
          name,
          StandardOpenOption.CREATE,
          StandardOpenOption.TRUNCATE_EXISTING,
          StandardOpenOption.READ,
          StandardOpenOption.WRITE);
    } catch (NoSuchFileException | ClosedByInterruptException e) {
      // The folder was deleted or moved, or the calling thread was interrupted.
      throw e;
    } catch (IOException e) {
      throw new CreateFailedException(e);
    }
  }

  @Override
  public DiskFile open(String name) throws IOException {
    return file(name, StandardOpenOption.READ);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    Files.move(
        folder.resolve(from),
        folder.resolve(to),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  @Override
  public void delete(String name) throws IOException {
    Files.deleteIfExists(folder.resolve(name));
  }

  @Override
  public void force() throws ForceFailedException {
    checkOwner();
    try {
      if (directory != null) {
        directory.force(true);
      }
    } catch (IOException e) {
      throw new ForceFailedException("The folder " + folder, e);
    }
  }

  @Override
  public long usableBytes() throws IOException {
    // Unlike FileStore, this needs no table of mounts, which a chroot may lack. It is 0 on errors.
    long usable = folder.toFile().getUsableSpace();
    if (usable == 0 && !Files.exists(folder)) {
      throw new NoSuchFileException(folder.toString());
    }
    return usable;
  }

  @Override
  public long totalBytes() {
    long total = folder.toFile().getTotalSpace();
    return total == 0 ? Long.MAX_VALUE : total;
  }

  @Override
  public long mostFileBytes() {
    return FileSizeLimit.bytes();
  }

  /** Opens a file, and remembers its identity. */
  private ChannelFile file(String name, OpenOption... options) throws IOException {
    Path path = folder.resolve(name);
    FileChannel channel = FileChannel.open(path, options);
    boolean complete = false;
    try {
      ChannelFile file = new ChannelFile(path, channel, Owners.keyOf(path));
      complete = true;
      return file;
    } finally {
      if (!complete) {
        channel.close();
      }
    }
  }

  private final class ChannelFile implements DiskFile {
    private final Path path;
    private final FileChannel channel;

    /** The identity of the file; null if the file system has none. */
    private final @Nullable Object key;

    /** The least length of the file after what was written. */
    private volatile long length;

    ChannelFile(Path path, FileChannel channel, @Nullable Object key) {
      this.path = path;
      this.channel = channel;
      this.key = key;
    }

    @Override
    public void write(ByteBuffer bytes, long position) throws IOException {
      checkOwnerNowAndThen();
      long at = position;
      while (bytes.hasRemaining()) {
        at += channel.write(bytes, at);
      }
      length = Math.max(length, at);
      checkName();
    }

    @Override
    public int read(ByteBuffer bytes, long position) throws IOException {
      int begin = bytes.position();
      int read = 0;
      while (bytes.hasRemaining() && read >= 0) {
        read = channel.read(bytes, position + bytes.position() - begin);
      }
      return bytes.position() - begin;
    }

    @Override
    public void force() throws ForceFailedException {
      try {
        channel.force(false);
      } catch (IOException e) {
        throw new ForceFailedException("The file " + path, e);
      }
      checkIdentity();
      checkName();
    }

    @Override
    public void check() throws ForceFailedException {
      try {
        if (channel.size() < length) {
          throw new IOException("another program has cut it to " + channel.size() + " bytes");
        }
      } catch (IOException e) {
        throw new ForceFailedException("The file " + path, e);
      }
      if (System.nanoTime() - identityCheckedNanos > CHECK_NANOS) {
        checkIdentity();
        identityCheckedNanos = System.nanoTime();
      }
    }

    private void checkIdentity() throws ForceFailedException {
      String change = "another program has replaced it";
      try {
        if (Objects.equals(key, Owners.keyOf(path))) {
          return;
        }
      } catch (NoSuchFileException e) {
        change = "another program has deleted it";
      } catch (IOException e) {
        throw new ForceFailedException("The file " + path, e);
      }
      // If the whole folder is lost, this says so.
      checkOwner();
      throw new ForceFailedException("The file " + path, new IOException(change));
    }

    @Override
    public long size() throws IOException {
      return channel.size();
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
