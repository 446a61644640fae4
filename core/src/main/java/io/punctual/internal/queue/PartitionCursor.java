package io.punctual.internal.queue;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A position in the listing of a queue. The listing contains the messages of the first partition,
 * then of the second partition, and so on. Immutable.
 */
public record PartitionCursor(int partition, @Nullable String cursor) {
  public static PartitionCursor parse(Optional<String> text, int partitions) {
    if (text.isEmpty()) {
      return new PartitionCursor(0, null);
    }
    String given = text.get();
    int colon = given.indexOf(':');
    try {
      int partition = Integer.parseInt(given.substring(0, Math.max(0, colon)));
      if (partition >= 0 && partition < partitions) {
        String rest = given.substring(colon + 1);
        return new PartitionCursor(partition, rest.isEmpty() ? null : rest);
      }
    } catch (NumberFormatException e) {
      throw notOne(given, e);
    }
    throw notOne(given, null);
  }

  private static IllegalArgumentException notOne(String given, @Nullable Exception cause) {
    return new IllegalArgumentException(
        "'" + given + "' is not a cursor of this queue; pass the 'next' of a page", cause);
  }

  /**
   * Returns the cursor of the listing after a page of this partition, or empty at the end of the
   * listing. {@code next} is the partition's own cursor after the page, or null after its last
   * page.
   */
  public Optional<String> after(@Nullable String next, int partitions) {
    if (next != null) {
      return Optional.of(partition + ":" + next);
    }
    return partition + 1 < partitions ? Optional.of((partition + 1) + ":") : Optional.empty();
  }
}
