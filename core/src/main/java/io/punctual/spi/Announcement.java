package io.punctual.spi;

import java.util.Set;
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
