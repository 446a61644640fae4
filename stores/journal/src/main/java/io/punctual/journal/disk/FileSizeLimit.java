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
 * The maximum size of a file that this process may write ({@code RLIMIT_FSIZE}). The command {@code
 * ulimit -f} sets it, and {@code LimitFSIZE} of systemd. Known on Linux only.
 */
final class FileSizeLimit {
  private static final Pattern LINE = Pattern.compile("Max file size\\s+([0-9]{1,18})\\s.*");

  private FileSizeLimit() {}

  /** Returns the limit in bytes, or {@link Long#MAX_VALUE} if there is none or it is unknown. */
  static long bytes() {
    return bytes(Path.of("/proc/self/limits"));
  }

  /** Reads the limit from a file in the format of {@code /proc/self/limits}. */
  static long bytes(Path limits) {
    try (Stream<String> lines = Files.lines(limits, StandardCharsets.ISO_8859_1)) {
      return lines
          .map(LINE::matcher)
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
