package io.punctual.internal.queue;

import io.punctual.Worker;
import io.punctual.WorkerInfo;
import io.punctual.internal.runtime.ProcessInfo;
import io.punctual.spi.Announcement;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The workers of a process as the text of an {@link Announcement}: a line with the version of the
 * format, the host, the process id and the version of Punctual; then a line for each worker with
 * its start in milliseconds from 1970, concurrency, "paused" or "running", queue and name. Tabs
 * separate the fields. Stateless.
 */
final class WorkerText {
  private static final String FORMAT = "1";

  private WorkerText() {}

  /**
   * Returns the text. Leaves out the last workers if the text would be too long.
   *
   * @param workers the workers with their starts
   */
  static String of(ProcessInfo process, Map<Worker, Instant> workers) {
    StringBuilder text = new StringBuilder(256);
    text.append(line(FORMAT, process.host(), Long.toString(process.pid()), process.version()));
    int[] bytes = {bytes(text.toString())};
    workers.forEach(
        (worker, started) -> {
          String line =
              "\n"
                  + line(
                      Long.toString(started.toEpochMilli()),
                      Integer.toString(worker.concurrency()),
                      worker.isPaused() ? "paused" : "running",
                      worker.queue(),
                      worker.name());
          bytes[0] += bytes(line);
          if (bytes[0] <= Announcement.MAX_BYTES) {
            text.append(line);
          }
        });
    return text.toString();
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  /** Returns the number of workers in the result of {@link #of}. */
  static int count(String text) {
    return (int) text.chars().filter(each -> each == '\n').count();
  }

  private static String line(String... fields) {
    List<String> plain = new ArrayList<>(fields.length);
    for (String field : fields) {
      plain.add(field.replaceAll("\\p{Cntrl}", " "));
    }
    return String.join("\t", plain);
  }

  /**
   * Parses the result of {@link #of}.
   *
   * @return the workers; none if a different version of Punctual wrote the text in a newer format
   */
  static List<WorkerInfo> parse(Announcement announcement) {
    List<WorkerInfo> workers = new ArrayList<>();
    String[] lines = announcement.text().split("\n", -1);
    String[] process = lines[0].split("\t", -1);
    if (process.length < 4 || !process[0].equals(FORMAT)) {
      return workers;
    }
    Instant seen = Instant.ofEpochMilli(announcement.seenMillis());
    for (int i = 1; i < lines.length; i++) {
      String[] fields = lines[i].split("\t", -1);
      workers.add(
          new WorkerInfo(
              fields[4],
              fields[3],
              Integer.parseInt(fields[1]),
              fields[2].equals("paused"),
              process[1],
              Long.parseLong(process[2]),
              process[3],
              Instant.ofEpochMilli(Long.parseLong(fields[0])),
              seen));
    }
    return workers;
  }
}
