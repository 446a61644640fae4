package io.punctual.journal.disk;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;

/**
 * Describes failures of file operations in words, because the messages of some exceptions are only
 * a path.
 */
public final class FileFailures {
  private FileFailures() {}

  /** Returns the cause of a failure, and what to do if the disk is full. */
  public static String reason(IOException e) {
    String description = description(e);
    return Space.saysOut(e)
        ? description + ". Make room on its disk, then open it again"
        : description;
  }

  /** Returns the cause of a failure. */
  static String description(IOException e) {
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
