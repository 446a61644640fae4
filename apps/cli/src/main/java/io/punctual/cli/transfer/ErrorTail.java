package io.punctual.cli.transfer;

import io.punctual.cli.output.Console;
import io.punctual.cli.output.DisplayWidth;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.Charset;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes on the standard error of a command, and keeps its last lines. Thread-safe. */
final class ErrorTail {
  private static final Logger log = LoggerFactory.getLogger(ErrorTail.class);
  private static final int LINES = 3;
  private static final int LONGEST = 300;

  /**
   * The maximum length of a part of a line. A longer line is passed on in parts, so that memory
   * stays bounded.
   */
  private static final int LONGEST_PART = 8192;

  /**
   * The longest wait for the end of standard error. A background process that the command started
   * may keep standard error open after the command has ended.
   */
  private static final long WAIT_MILLIS = 500;

  private final Deque<String> last = new ArrayDeque<>();
  private final Thread thread;

  private ErrorTail(Console console, BufferedReader lines) {
    thread = new Thread(() -> copy(console, lines), "punctual-command-errors");
    thread.setDaemon(true);
  }

  static ErrorTail of(Console console, Process process) {
    ErrorTail tail = new ErrorTail(console, process.errorReader(Charset.defaultCharset()));
    tail.thread.start();
    return tail;
  }

  private void copy(Console console, BufferedReader lines) {
    StringBuilder line = new StringBuilder();
    try {
      for (int before = 0, c = lines.read(); c >= 0; before = c, c = lines.read()) {
        boolean isEnd = c == '\n' || c == '\r';
        if (!isEnd) {
          line.append((char) c);
        }
        if (line.length() == LONGEST_PART || (isEnd && !(before == '\r' && c == '\n'))) {
          pass(console, line);
        }
      }
      if (!line.isEmpty()) {
        pass(console, line);
      }
    } catch (IOException e) {
      log.debug("The standard error of a command has ended", e);
    }
  }

  private void pass(Console console, StringBuilder line) {
    String text = line.toString();
    line.setLength(0);
    console.pass(text);
    keep(text);
  }

  private synchronized void keep(String line) {
    if (!line.isBlank()) {
      last.addLast(DisplayWidth.cut(line, LONGEST));
      if (last.size() > LINES) {
        last.removeFirst();
      }
    }
  }

  /**
   * Waits briefly for the end of standard error, and returns the last lines that are not blank.
   * Called after the command has ended.
   */
  String lines() throws InterruptedException {
    thread.join(WAIT_MILLIS);
    synchronized (this) {
      return String.join("\n", last);
    }
  }
}
