package io.punctual.journal.disk;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.List;

/**
 * Describes failures of file operations in words, because the messages of some exceptions are only
 * a path.
 */
public final class FileFailures {
  private static final List<String> FINAL =
      List.of("Input/output error", "File too large", "Stale file handle");

  private FileFailures() {}

  /** Returns the cause of a failure, and what to do if the disk is full. */
  public static String reason(IOException e) {
    String description = description(e);
    return Space.saysOut(e)
        ? description + ". Make room on its disk, then open it again"
        : description;
  }

  /**
   * Whether the cause of a failed write may pass, so that the write can be repeated. The systems
   * translate the texts of failures, so an unknown text counts as a cause that passes, such as a
   * full disk.
   */
  public static boolean mayPass(IOException e) {
    boolean isFinal =
        e instanceof ForceFailedException
            || e instanceof ClosedChannelException
            || e instanceof NoSuchFileException;
    String message = String.valueOf(e.getMessage());
    return e instanceof CreateFailedException
        || (!isFinal && FINAL.stream().noneMatch(message::contains));
  }

  public static String description(IOException e) {
    String message = String.valueOf(e.getMessage());
    if (e instanceof ClosedByInterruptException) {
      return "the thread was interrupted";
    } else if (e instanceof AccessDeniedException) {
      return "access to " + message + " is denied";
    } else if (e instanceof NoSuchFileException) {
      return "there is no file " + message;
    } else if (e instanceof FileAlreadyExistsException) {
      return message + " is a file, not a folder";
    }
    return message;
  }
}
