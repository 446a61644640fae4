package io.punctual.journal.disk;

import io.punctual.internal.log.Logs;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The open channels of the files that are only read, so that a folder with many files needs few
 * file descriptors. The least recently used channel is closed, and the next read of its file opens
 * the file again. A reader has a channel for itself: no other thread can close it, and an interrupt
 * of the reader closes no channel of another. Safe for use by many threads.
 */
final class OpenChannels {
  private static final Logger log = Logs.of(OpenChannels.class);

  /**
   * How often a file is tried before the failure counts as a fault of the file. Many, because other
   * threads can take a free descriptor each time, and a message of a faulty file is given up.
   */
  private static final int TRIES = 30;

  private final Path folder;
  private final int most;

  /** The channels that no thread uses, the least recently used first. */
  private final Map<OpenFile, FileChannel> idle = new LinkedHashMap<>();

  /** Opens something that needs a file descriptor. */
  @FunctionalInterface
  interface Opening<T> {
    T open() throws IOException;
  }

  /**
   * Creates an empty set.
   *
   * @param most the maximum number of channels that stay open while no thread uses them
   */
  OpenChannels(Path folder, int most) {
    this.folder = folder;
    this.most = most;
    // Loads the class, which may not load any more once the process has too many open files.
    IOException unused = new OpenFailedException(new IOException(folder.toString()));
  }

  /** Takes a channel of a file, which the caller gives back by {@link #put}. */
  FileChannel take(OpenFile file) throws IOException {
    if (file.isClosed()) {
      throw new ClosedChannelException();
    }
    FileChannel channel = remove(file);
    return channel == null ? file.reopen() : channel;
  }

  /** Receives a channel that the calling thread uses no more. */
  void put(OpenFile file, FileChannel channel) {
    FileChannel surplus = keep(file, channel);
    if (surplus != null) {
      close(surplus);
    }
  }

  /**
   * Closes a channel. A failure harms no file, because nothing was written since the last force.
   */
  private void close(FileChannel surplus) {
    try {
      surplus.close();
    } catch (IOException e) {
      log.warn("A file of the journal {} could not be closed", folder, e);
    }
  }

  /** Closes the channel of a file. The file must be {@linkplain OpenFile#isClosed closed}. */
  void close(OpenFile file) throws IOException {
    FileChannel channel = remove(file);
    if (channel != null) {
      channel.close();
    }
  }

  private synchronized @Nullable FileChannel remove(OpenFile file) {
    return idle.remove(file);
  }

  /** Keeps a channel, and returns the channel to close instead, if any. */
  private synchronized @Nullable FileChannel keep(OpenFile file, FileChannel channel) {
    if (file.isClosed() || !channel.isOpen() || idle.containsKey(file)) {
      return channel;
    }
    idle.put(file, channel);
    return idle.size() > most ? removeEldest() : null;
  }

  private synchronized @Nullable FileChannel removeEldest() {
    Iterator<FileChannel> channels = idle.values().iterator();
    if (!channels.hasNext()) {
      return null;
    }
    FileChannel eldest = channels.next();
    channels.remove();
    return eldest;
  }

  /**
   * Opens a file, and {@linkplain #makingRoom makes room} for it.
   *
   * @throws OpenFailedException if no file can be opened at the moment
   */
  FileChannel open(Path file, OpenOption... options) throws IOException {
    return makingRoom(() -> FileChannel.open(file, options));
  }

  /**
   * Opens something that needs a file descriptor. If the process has too many open files, closes
   * channels that no thread uses until it can be opened.
   *
   * @throws OpenFailedException if no file can be opened at the moment
   */
  <T> T makingRoom(Opening<T> opening) throws IOException {
    int tries = 1;
    while (true) {
      try {
        return opening.open();
      } catch (NoSuchFileException | AccessDeniedException | ClosedByInterruptException e) {
        throw e;
      } catch (IOException e) {
        if (canOpenFolder()) {
          if (tries++ == TRIES) {
            throw e;
          }
        } else if (!closeEldest()) {
          throw new OpenFailedException(e);
        }
      }
    }
  }

  /**
   * Whether the folder can be opened, so that a file that can't be opened is itself the fault. The
   * texts of failures don't tell, because the systems translate them.
   */
  private boolean canOpenFolder() {
    try (FileChannel unused = Directories.open(folder)) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private boolean closeEldest() {
    FileChannel eldest = removeEldest();
    if (eldest != null) {
      close(eldest);
    }
    return eldest != null;
  }
}
