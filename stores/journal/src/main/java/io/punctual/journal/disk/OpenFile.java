package io.punctual.journal.disk;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An open file with its identity. The file has a channel of its own as long as it may be written;
 * afterwards {@link OpenChannels} has the channels to read it. Safe for use by many threads.
 */
final class OpenFile {
  private final Path path;
  private final OpenChannels channels;
  private final FolderDisk.OwnerCheck owner;

  /** The identity of the file; null if the file system has none. */
  private final @Nullable Object key;

  /** The file's own channel; null once nothing more will be written. */
  private volatile @Nullable FileChannel own;

  private volatile boolean closed;

  @FunctionalInterface
  interface Use {
    long of(FileChannel channel) throws IOException;
  }

  /** Opens a file, and remembers its identity. */
  OpenFile(Path path, OpenChannels channels, FolderDisk.OwnerCheck owner, OpenOption... options)
      throws IOException {
    this.path = path;
    this.channels = channels;
    this.owner = owner;
    FileChannel channel = channels.open(path, options);
    key = key(channel);
    own = channel;
  }

  private @Nullable Object key(FileChannel channel) throws IOException {
    try {
      return Owners.keyOf(path);
    } catch (Throwable e) {
      try (channel) {
        throw e;
      }
    }
  }

  /**
   * Opens the file again to read it.
   *
   * @throws OpenFailedException if the file can't be opened for a reason that may pass: lack of
   *     file descriptors, missing rights, or the loss of the whole folder
   * @throws NoSuchFileException if another program has deleted or replaced the file
   */
  FileChannel reopen() throws IOException {
    try {
      return openSame();
    } catch (AccessDeniedException e) {
      throw new OpenFailedException(e);
    } catch (NoSuchFileException e) {
      try {
        owner.explainMissing();
      } catch (IOException lost) {
        throw new OpenFailedException(lost);
      }
      throw e;
    }
  }

  private FileChannel openSame() throws IOException {
    FileChannel channel = channels.open(path, StandardOpenOption.READ);
    try {
      if (!isSame()) {
        throw new NoSuchFileException(path.toString(), null, "another program has replaced it");
      }
      return channel;
    } catch (Throwable e) {
      try (channel) {
        throw e;
      }
    }
  }

  /**
   * Whether the path still leads to this file.
   *
   * @throws NoSuchFileException if it leads to no file
   */
  boolean isSame() throws IOException {
    return Objects.equals(key, Owners.keyOf(path));
  }

  /** Whether nobody uses the file any more. */
  boolean isClosed() {
    return closed;
  }

  /** Returns the file's own channel, to write the file. */
  FileChannel own() throws ClosedChannelException {
    FileChannel channel = own;
    if (channel == null) {
      throw new ClosedChannelException();
    }
    return channel;
  }

  /** Lends a channel to {@code use}, which may be called again if the channel was closed. */
  long use(Use use) throws IOException {
    FileChannel channel = own;
    if (channel != null) {
      try {
        return use.of(channel);
      } catch (ClosedChannelException e) {
        if (own != null) {
          throw e;
        }
        // The writes ended meanwhile, and then the channel was closed.
      }
    }
    FileChannel taken = channels.take(this);
    try {
      return use.of(taken);
    } finally {
      channels.put(this, taken);
    }
  }

  synchronized void endWrites() {
    FileChannel channel = own;
    if (channel != null && !closed) {
      own = null;
      channels.put(this, channel);
    }
  }

  synchronized void close() throws IOException {
    closed = true;
    FileChannel channel = own;
    if (channel != null) {
      channel.close();
    }
    channels.close(this);
  }
}
