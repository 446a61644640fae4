package io.punctual.journal.disk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The limits that the system sets for this process. The command {@code ulimit} changes them, and
 * {@code LimitFSIZE} and {@code LimitNOFILE} of systemd. Known on Linux only.
 */
final class ProcessLimits {
  private static final String FILE_SIZE = "Max file size";
  private static final String OPEN_FILES = "Max open files";

  private ProcessLimits() {}

  /**
   * Returns the maximum size of a file in bytes, or {@link Long#MAX_VALUE} if there is none or it
   * is unknown.
   */
  static long fileBytes() {
    return read(FILE_SIZE, Path.of("/proc/self/limits"));
  }

  /**
   * Returns the maximum number of open files, or {@link Long#MAX_VALUE} if there is none or it is
   * unknown.
   */
  static long openFiles() {
    return read(OPEN_FILES, Path.of("/proc/self/limits"));
  }

  /** Reads a limit from a file in the format of {@code /proc/self/limits}. */
  static long read(String name, Path limits) {
    Pattern pattern = Pattern.compile(Pattern.quote(name) + "\\s+([0-9]{1,18})\\s.*");
    try (Stream<String> lines = Files.lines(limits, StandardCharsets.ISO_8859_1)) {
      return lines
          .map(pattern::matcher)
          .filter(Matcher::matches)
          .mapToLong(line -> Long.parseLong(line.group(1)))
          .findFirst()
          .orElse(Long.MAX_VALUE);
    } catch (IOException | UncheckedIOException e) {
      // Other systems have no such file.
      return Long.MAX_VALUE;
    }
  }
}
