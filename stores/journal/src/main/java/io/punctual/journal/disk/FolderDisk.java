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
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A folder in a file system of the operating system. Safe for use by many threads. */
final class FolderDisk implements Disk {
  private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** The maximum number of channels that stay open for later reads of files that have ended. */
  private static final int MOST_CHANNELS = 64;

  private final Path folder;
  private final OwnerCheck owner;
  private final OpenChannels channels;

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

    /** Throws if a missing file is no fault of another program, or the whole folder is lost. */
    default void explainMissing() throws IOException {
      run();
    }
  }

  /** The check of a process that only reads a folder. */
  private static final class Reader implements OwnerCheck {
    @Override
    public void run() {}

    @Override
    public void explainMissing() throws IOException {
      throw new IOException("the owner of the journal has deleted a file meanwhile");
    }
  }

  FolderDisk(Path folder, OwnerCheck owner, @Nullable FileChannel directory) {
    this(folder, owner, directory, MOST_CHANNELS);
  }

  private FolderDisk(
      Path folder, OwnerCheck owner, @Nullable FileChannel directory, int mostChannels) {
    this.folder = folder;
    this.owner = owner;
    channels = new OpenChannels(folder, mostChannels);
    this.directory = directory;
    // Loads the class, which may not load any more once the process has too many open files.
    IOException unused = new CreateFailedException(new IOException(folder.toString()));
  }

  /**
   * Returns a disk that only reads a folder, which another process may own. Its files stay open, so
   * that they can be read after the owner has deleted them. Files beyond half of the files that the
   * process may open are closed and opened again; if the owner has deleted a file by then, its
   * reads fail with an {@link OpenFailedException}.
   */
  static FolderDisk pinning(Path folder) {
    long half = Math.max(MOST_CHANNELS, ProcessLimits.openFiles() / 2);
    return pinning(folder, (int) Math.min(Integer.MAX_VALUE, half));
  }

  /** As {@link #pinning(Path)}, but keeps only this number of files open. */
  static FolderDisk pinning(Path folder, int mostChannels) {
    return new FolderDisk(folder, new Reader(), null, mostChannels);
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
    return channels.makingRoom(this::names);
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> String.valueOf(file.getFileName())).toList();
    }
  }

  @Override
  public DiskFile create(String name) throws IOException {
    try {
      return new ChannelFile(
          folder.resolve(name),
          StandardOpenOption.CREATE,
          StandardOpenOption.TRUNCATE_EXISTING,
          StandardOpenOption.READ,
          StandardOpenOption.WRITE);
    } catch (NoSuchFileException | ClosedByInterruptException e) {
      // The folder was deleted or moved, or the calling thread was interrupted.
      throw e;
    } catch (IOException e) {
      boolean isWrapped = e instanceof OpenFailedException;
      throw new CreateFailedException(
          isWrapped && e.getCause() instanceof IOException cause ? cause : e);
    }
  }

  @Override
  public DiskFile open(String name) throws IOException {
    ChannelFile file = new ChannelFile(folder.resolve(name), StandardOpenOption.READ);
    file.endWrites();
    return file;
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
    return ProcessLimits.fileBytes();
  }

  private final class ChannelFile implements DiskFile {
    private final Path path;
    private final OpenFile file;

    /** The least length of the file after what was written. */
    private volatile long length;

    ChannelFile(Path path, OpenOption... options) throws IOException {
      this.path = path;
      file = new OpenFile(path, channels, owner, options);
    }

    @Override
    public void write(ByteBuffer bytes, long position) throws IOException {
      checkOwnerNowAndThen();
      FileChannel channel = file.own();
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
      return (int) file.use(channel -> read(channel, bytes.position(begin), position));
    }

    private static int read(FileChannel channel, ByteBuffer bytes, long position)
        throws IOException {
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
        file.own().force(false);
      } catch (IOException e) {
        throw new ForceFailedException("The file " + path, e);
      }
      checkIdentity();
      checkName();
    }

    @Override
    public void check() throws ForceFailedException {
      try {
        long size = file.own().size();
        if (size < length) {
          throw new IOException("another program has cut it to " + size + " bytes");
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
        if (file.isSame()) {
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
      return file.use(FileChannel::size);
    }

    @Override
    public void endWrites() {
      file.endWrites();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
