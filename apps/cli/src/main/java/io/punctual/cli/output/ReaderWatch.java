package io.punctual.cli.output;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Detects that the reader of a pipe on standard output has ended, without a write to the pipe: on
 * Linux, {@code /proc} shows which processes of the user have the pipe open. On other systems, or
 * if the reader belongs to a different user, only a write can detect the end. Thread-safe.
 */
public final class ReaderWatch implements BooleanSupplier {
  private static final Path PROCESSES = Path.of("/proc");
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private @Nullable Path pipe;
  private @Nullable Path reader;
  private long lookedNanos = System.nanoTime() - PAUSE_NANOS;
  private boolean gone;

  /**
   * Returns whether the reader is gone. The check of a known reader is cheap and always current; an
   * unknown reader is searched for at most twice a second.
   */
  @Override
  public synchronized boolean getAsBoolean() {
    if (!gone && !isReading(reader)) {
      gone = look();
    }
    return gone;
  }

  private boolean isReading(@Nullable Path known) {
    return known == null
        ? System.nanoTime() - lookedNanos < PAUSE_NANOS
        : target(known).equals(pipe);
  }

  /**
   * Searches for the reader; returns whether an earlier search found a reader and this search finds
   * none. A reader that was never found may exist, since the processes of other users are hidden.
   */
  private boolean look() {
    lookedNanos = System.nanoTime();
    Path known = reader;
    Path stdout = target(PROCESSES.resolve("self/fd/1"));
    if (!stdout.toString().startsWith("pipe:")) {
      return false;
    }
    pipe = stdout;
    reader = find(stdout);
    return known != null && reader == null;
  }

  private static @Nullable Path find(Path pipe) {
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROCESSES, "[0-9]*")) {
      for (Path process : processes) {
        Path found = find(pipe, process);
        if (found != null) {
          return found;
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      // Without /proc, a search never finds a reader.
    }
    return null;
  }

  private static @Nullable Path find(Path pipe, Path process) {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(process.resolve("fd"))) {
      for (Path file : files) {
        if (target(file).equals(pipe) && isForReading(file)) {
          return file;
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      // The process has ended, or belongs to a different user.
    }
    return null;
  }

  private static Path target(Path link) {
    try {
      return Files.readSymbolicLink(link);
    } catch (IOException | UnsupportedOperationException e) {
      return Path.of("");
    }
  }

  private static boolean isForReading(Path file) throws IOException {
    return Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS)
        .contains(PosixFilePermission.OWNER_READ);
  }
}
