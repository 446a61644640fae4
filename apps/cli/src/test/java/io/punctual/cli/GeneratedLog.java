package io.punctual.cli;

import io.punctual.cli.output.Json;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import tools.jackson.core.JsonGenerator;

/**
 * A log like the log of a server: each line has a time stamp and a text, often with unusual
 * characters. The time stamps, scaled down to a short time, become the delays of the lines.
 */
final class GeneratedLog {
  /** The number of lines for tests of long logs. */
  static final int LONG = Boolean.getBoolean("punctual.thorough") ? 100_000 : 20_000;

  private static final Instant BEGIN = Instant.parse("2026-03-01T00:00:00Z");
  private static final List<String> TEXTS =
      List.of(
          "GET /orders/%d?q=\"a b\" 200",
          "status installed libc6:amd64 %d-1",
          "C:\\temp\\%d\tcopied",
          "na\u00efve caf\u00e9 \u2603 \ud83d\ude00 %d",
          "");

  private final String[] lines;

  GeneratedLog(int length) {
    Random random = new Random(42);
    lines = new String[length];
    long seconds = 0;
    for (int i = 0; i < length; i++) {
      seconds += random.nextInt(5);
      String text = TEXTS.get(i % TEXTS.size()).formatted(random.nextInt(1000));
      lines[i] = BEGIN.plusSeconds(seconds) + " " + text;
    }
  }

  String line(int number) {
    return lines[number];
  }

  /**
   * Returns the log as input for the pipe. The last line has the delay {@code time}; the delays of
   * the other lines are in proportion to their time stamps.
   */
  InputStream asInput(Duration time) {
    long last = seconds(lines.length - 1);
    StringWriter text = new StringWriter();
    for (int i = 0; i < lines.length; i++) {
      try (JsonGenerator json = Json.generator(text)) {
        json.writeStartObject();
        json.writeStringProperty("id", "line-" + i);
        json.writeStringProperty("delay", seconds(i) * time.toMillis() / last + "ms");
        json.writeStringProperty("payload", lines[i]);
        json.writeEndObject();
      }
      text.append('\n');
    }
    return new ByteArrayInputStream(text.toString().getBytes(StandardCharsets.UTF_8));
  }

  private long seconds(int line) {
    String stamp = lines[line].substring(0, lines[line].indexOf(' '));
    return Duration.between(BEGIN, Instant.parse(stamp)).toSeconds();
  }
}
