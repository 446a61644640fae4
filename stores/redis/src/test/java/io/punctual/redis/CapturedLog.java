package io.punctual.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;

/**
 * Collects the lines that this process logs, and prints them when it is closed. It replaces {@link
 * System#err}, to which slf4j-simple writes, so only a single test may use it at a time.
 */
final class CapturedLog implements AutoCloseable {
  private final PrintStream before = System.err;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  CapturedLog() {
    System.setErr(new PrintStream(bytes, true, UTF_8));
  }

  List<String> linesWith(String text) {
    return bytes.toString(UTF_8).lines().filter(line -> line.contains(text)).toList();
  }

  /** Returns the entries of the loggers whose names begin with this text. */
  List<LogEntry> entriesOf(String logger) {
    return LogEntry.parse(bytes.toString(UTF_8)).stream()
        .filter(entry -> entry.logger().startsWith(logger))
        .toList();
  }

  @Override
  public void close() {
    System.setErr(before);
    before.print(bytes.toString(UTF_8));
  }
}
