package io.punctual.internal.task;

import org.jspecify.annotations.Nullable;

/**
 * A position in the visit of a queue by a task: partition by partition, and within a partition in
 * one direction of time. The task has changed the matching messages before this time; messages at
 * this very time may be left. Immutable.
 *
 * @param partition the index of the partition; the number of partitions after the last of them
 * @param partitions the number of partitions of the queue
 * @param timeMillis the time that orders the messages, in milliseconds from 1970
 */
public record TaskPosition(int partition, int partitions, long timeMillis) {
  /**
   * Parses a {@link #toString text}.
   *
   * @throws IllegalArgumentException if the text is not a position
   */
  public static TaskPosition parse(String text) {
    String[] parts = text.split("[/:]", -1);
    try {
      if (parts.length == 3) {
        TaskPosition position =
            new TaskPosition(
                Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), Long.parseLong(parts[2]));
        if (position.toString().equals(text)
            && position.partition >= 0
            && position.partitions >= 1
            && position.partition <= position.partitions) {
          return position;
        }
      }
    } catch (NumberFormatException e) {
      throw notOne(text, e);
    }
    throw notOne(text, null);
  }

  private static IllegalArgumentException notOne(String text, @Nullable Exception cause) {
    return new IllegalArgumentException(
        "'" + text + "' is not the position of a task; pass the 'position' of its progress", cause);
  }

  @Override
  public String toString() {
    return partition + "/" + partitions + ":" + timeMillis;
  }
}
