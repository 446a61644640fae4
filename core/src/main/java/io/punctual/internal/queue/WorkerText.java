package io.punctual.internal.queue;

import io.punctual.WorkerInfo;
import io.punctual.internal.delivery.Announced;
import io.punctual.internal.delivery.Claimants;
import io.punctual.internal.runtime.ProcessInfo;
import io.punctual.spi.Announcement;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The workers of a process as the text of an {@link Announcement}: a line with the version of the
 * format, the host, the process id and the version of Punctual, and the {@link ClaimantText
 * claimants}; then a line for each worker. Tabs separate the fields.
 *
 * <p>The fields of a worker are its start in milliseconds from 1970, concurrency, "paused" or
 * "running", queue, name, number, {@link FiguresText figures}, "operator" if an operator has paused
 * the worker, and the host, process id and version of a worker in another process. Earlier versions
 * of Punctual wrote the fields up to the name, and ignore the others.
 *
 * @param text the text
 * @param workers the number of workers in the text
 * @param figures the number of workers in the text that have figures
 */
record WorkerText(String text, int workers, int figures) {
  private static final String FORMAT = "1";

  /** The text of a client without workers. */
  static final WorkerText NONE = new WorkerText("", 0, 0);

  /** The number of fields that each version writes. */
  private static final int FIELDS = 5;

  /**
   * Returns the text. If it would be too long, leaves out the figures of the last workers, and if
   * it still would be, also the last workers.
   */
  static WorkerText of(
      ProcessInfo process,
      List<Claimants.Claim> held,
      Collection<ListedWorker.Own> workers,
      long nowNanos) {
    String head =
        line(FORMAT, process.host(), Long.toString(process.pid()), process.version())
            + ClaimantText.of(held, nowNanos);
    int room = Announcement.MAX_BYTES - bytes(head);
    List<Line> lines = new ArrayList<>(workers.size());
    for (ListedWorker.Own worker : workers) {
      Line line = Line.of(worker);
      room -= bytes(line.before) + bytes(line.after) + 1;
      if (room < 0) {
        break;
      }
      lines.add(line);
    }
    StringBuilder text = new StringBuilder(head);
    int withFigures = 0;
    for (Line line : lines) {
      String figures = FiguresText.of(line.worker.figures(nowNanos));
      boolean fits = room >= figures.length();
      room -= fits ? figures.length() : 0;
      withFigures += fits ? 1 : 0;
      text.append('\n').append(line.before).append(fits ? figures : "").append(line.after);
    }
    return new WorkerText(text.toString(), lines.size(), withFigures);
  }

  /** The line of a worker, before and after its figures. */
  private record Line(ListedWorker.Own worker, String before, String after) {
    static Line of(ListedWorker.Own own) {
      Announced worker = own.worker();
      String before =
          line(
              Long.toString(own.startedAt().toEpochMilli()),
              Integer.toString(worker.concurrency()),
              worker.isPaused() ? "paused" : "running",
              worker.queue(),
              worker.name(),
              Long.toString(own.number()),
              "");
      String by = worker.isPausedByOperator() ? "operator" : "";
      ProcessInfo other = worker.elsewhere();
      String after =
          other == null
              ? (by.isEmpty() ? "" : '\t' + by)
              : '\t' + line(by, other.host(), Long.toString(other.pid()), other.version());
      return new Line(own, before, after);
    }
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  private static String line(String... fields) {
    return Arrays.stream(fields).map(WorkerText::plain).collect(Collectors.joining("\t"));
  }

  /** Returns the text with a space for each control character. */
  static String plain(String field) {
    return field.chars().anyMatch(Character::isISOControl)
        ? field.replaceAll("\\p{Cntrl}", " ")
        : field;
  }

  /**
   * Parses the text of any version of Punctual.
   *
   * @return the workers; none if the text is in a newer format, and without the lines that can't be
   *     read
   */
  static List<WorkerInfo> parse(Announcement announcement) {
    List<WorkerInfo> workers = new ArrayList<>();
    Optional<ProcessInfo> process = process(announcement);
    if (process.isEmpty()) {
      return workers;
    }
    String[] lines = announcement.text().split("\n", -1);
    for (int i = 1; i < lines.length; i++) {
      try {
        workers.add(worker(announcement, process.get(), lines[i].split("\t", -1), i));
      } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException unreadable) {
        // The other workers are shown.
      }
    }
    return workers;
  }

  private static ListedWorker worker(
      Announcement announcement, ProcessInfo process, String[] fields, int line) {
    String by = field(fields, 7);
    boolean isElsewhere = fields.length > 10;
    ListedWorker worker =
        new ListedWorker(
            fields.length == FIELDS
                ? announcement.client() + "/" + line
                : ListedWorker.id(announcement.client(), fields[5]),
            fields[4],
            fields[3],
            Integer.parseInt(fields[1]),
            fields[2].equals("paused"),
            by.equals("operator"),
            isElsewhere ? process(fields, 8) : process,
            Instant.ofEpochMilli(Long.parseLong(fields[0])),
            Instant.ofEpochMilli(announcement.seenMillis()),
            Optional.empty());
    return FiguresText.parse(field(fields, 6)).map(worker::withFigures).orElse(worker);
  }

  /** Returns the process of an announcement; empty if it is in a newer format, or is a note. */
  static Optional<ProcessInfo> process(Announcement announcement) {
    String[] fields = head(announcement);
    try {
      return fields.length < 4 || !fields[0].equals(FORMAT)
          ? Optional.empty()
          : Optional.of(process(fields, 1));
    } catch (NumberFormatException unreadable) {
      return Optional.empty();
    }
  }

  /** Returns the names of the claimants of an announcement, by {@link Claimants#hash}. */
  static Map<String, String> claimants(Announcement announcement) {
    List<String> fields = Arrays.asList(head(announcement));
    return ClaimantText.parse(fields.subList(Math.min(4, fields.size()), fields.size()));
  }

  private static String[] head(Announcement announcement) {
    String text = announcement.text();
    int end = text.indexOf('\n');
    return (end < 0 ? text : text.substring(0, end)).split("\t", -1);
  }

  private static ProcessInfo process(String[] fields, int from) {
    return new ProcessInfo(fields[from], Long.parseLong(fields[from + 1]), fields[from + 2]);
  }

  private static String field(String[] fields, int index) {
    return index < fields.length ? fields[index] : "";
  }
}
