package io.punctual.jdbc;

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

  @Override
  public void close() {
    System.setErr(before);
    before.print(bytes.toString(UTF_8));
  }
}
