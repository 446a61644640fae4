package io.punctual.kit.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import io.punctual.internal.log.Logs;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;

/**
 * Collects the lines that this process logs, and prints them when it is closed. A thread of
 * Punctual writes its lines, perhaps later, so each look at the lines waits for those that were
 * logged before. It replaces {@link System#err}, to which slf4j-simple writes, so only a single
 * test may use it at a time.
 */
public final class CapturedLog implements AutoCloseable {
  private static final Logger MARKS = Logs.of(CapturedLog.class);
  private static final AtomicLong COUNT = new AtomicLong();

  private final PrintStream before = System.err;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final int earlier;

  /** Begins to collect lines. */
  public CapturedLog() {
    System.setErr(new PrintStream(bytes, true, UTF_8));
    try {
      earlier = all().size();
    } catch (RuntimeException | Error e) {
      System.setErr(before);
      throw e;
    }
  }

  /** Returns all lines since the begin, and the lines of their stack traces. */
  public List<String> lines() {
    List<String> all = all();
    return all.subList(earlier, all.size());
  }

  /** Returns the lines that contain this text. */
  public List<String> linesWith(String text) {
    return lines().stream().filter(line -> line.contains(text)).toList();
  }

  /** Returns all lines as one text. */
  public String text() {
    return String.join("\n", lines());
  }

  private List<String> all() {
    String mark = "mark " + COUNT.incrementAndGet() + ".";
    await()
        .pollDelay(Duration.ZERO)
        .until(
            () -> {
              MARKS.error(mark);
              return bytes.toString(UTF_8).contains(mark);
            });
    return bytes.toString(UTF_8).lines().filter(line -> !line.contains(MARKS.getName())).toList();
  }

  @Override
  public void close() {
    try {
      all().forEach(before::println);
    } finally {
      System.setErr(before);
    }
  }
}
