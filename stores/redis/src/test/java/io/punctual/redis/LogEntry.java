package io.punctual.redis;

import io.punctual.kit.log.CapturedLog;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A log line, followed by the lines of its exception. */
record LogEntry(String logger, List<String> lines) {
  private static final Pattern HEADER =
      Pattern.compile("\\[[^]]+] (?:INFO|WARN|ERROR) ([a-zA-Z0-9_.]+) - .*");

  /** Returns the entries of the loggers whose names begin with this text. */
  static List<LogEntry> of(CapturedLog log, String logger) {
    return parse(log.lines()).stream().filter(entry -> entry.logger().startsWith(logger)).toList();
  }

  /** Returns the entries of a log of slf4j-simple in its default format. */
  private static List<LogEntry> parse(List<String> log) {
    List<LogEntry> entries = new ArrayList<>();
    for (String line : log) {
      Matcher header = HEADER.matcher(line);
      if (header.matches()) {
        entries.add(new LogEntry(header.group(1), new ArrayList<>(List.of(line))));
      } else if (!entries.isEmpty()) {
        entries.get(entries.size() - 1).lines().add(line);
      }
    }
    return entries;
  }

  /**
   * Returns the text of log entries. Of the stack trace of each exception, the text has only the
   * first frame in {@link Shop}, with the package {@code com.example}.
   */
  static String text(List<LogEntry> entries) {
    return entries.stream().map(LogEntry::text).collect(Collectors.joining());
  }

  private String text() {
    StringBuilder text = new StringBuilder();
    boolean hasFrame = false;
    for (String line : lines) {
      if (!line.startsWith("\t")) {
        hasFrame = false;
        text.append(line).append('\n');
      } else if (!hasFrame && line.contains(Shop.class.getName() + ".")) {
        hasFrame = true;
        String frame = line.substring(line.indexOf(Shop.class.getName()));
        text.append("    at com.example").append(frame.substring("io.punctual.redis".length()));
        text.append("\n    ...\n");
      }
    }
    return text.toString();
  }

  /** Returns the first block of log lines below a heading of a page; empty if there is none. */
  static String block(String page, String heading) {
    int section = page.indexOf("## " + heading + "\n");
    int start = page.indexOf("```text\n", section) + "```text\n".length();
    return section < 0 || start < section ? "" : page.substring(start, page.indexOf("```", start));
  }

  /**
   * Replaces threads, times, durations, ports and texts of the operating system by placeholders,
   * and removes line numbers.
   */
  static String masked(String text) {
    return text.replaceAll("(?m)^\\[[^]]+]", "[thread]")
        .replaceAll("\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z", "TIME")
        .replaceAll("\\d+ ms", "N ms")
        .replaceAll("(127\\.0\\.0\\.1[^ :]*):\\d+", "$1:PORT")
        .replaceAll("PORT \\(.*\\)", "PORT (REASON)")
        .replaceAll("\\.java:\\d+", ".java");
  }
}
