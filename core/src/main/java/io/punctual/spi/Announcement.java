package io.punctual.spi;

import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A text that a client keeps in the store while the client runs. Each line but the first is about a
 * worker.
 *
 * @param client the client's id
 * @param text the text
 * @param seenMillis the time at which the client last sent the text, by the store's clock, in
 *     milliseconds from 1970
 */
public record Announcement(String client, String text, long seenMillis) {
  /** The largest length of a text, in bytes of UTF-8. */
  public static final int MAX_BYTES = 256 << 10;

  /** The index of the queue in the line of a worker, whose fields are separated by tabs. */
  private static final int QUEUE = 3;

  /**
   * The figures of a worker that has handled nothing recently; the fourth number is the length of
   * the recent time.
   */
  private static final Pattern IDLE =
      Pattern.compile("(?<=\\t)([0-9]+ [0-9]+ [0-9]+) [0-9]+ 0 0(?=[\\t\\n]|$)");

  /**
   * Returns a text without the lengths of times in which nothing happened. A store need not be told
   * a text that differs from the present text in these lengths only.
   */
  public static String withoutIdleTimes(String text) {
    return IDLE.matcher(text).replaceAll("$1 0 0 0");
  }

  /** Returns the names of the queues for which the text lists workers. */
  public Set<String> queues() {
    return text.lines()
        .skip(1)
        .map(line -> line.split("\t", -1))
        .filter(fields -> fields.length > QUEUE)
        .map(fields -> fields[QUEUE])
        .collect(Collectors.toSet());
  }
}
