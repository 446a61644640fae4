package io.punctual.internal.queue;

import io.punctual.spi.TimeRange;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A position in the listing of a queue with the newest message first: after a message with this
 * time in this partition. At this time, the partitions before are listed, and those after it are
 * not. Immutable.
 *
 * @param partition the partition of the last listed message, or -1 before the first message
 * @param cursor the cursor of that partition, or null if it has no further messages
 */
record NewestCursor(long millis, int partition, @Nullable String cursor) {
  private static final NewestCursor START = new NewestCursor(Long.MAX_VALUE, -1, null);
  private static final Pattern TEXT = Pattern.compile("newest:(\\d{1,4}):(-?\\d{1,18}):(.*)");

  /** Parses a cursor; empty is the cursor of the first page. */
  static NewestCursor parse(Optional<String> text, int partitions) {
    if (text.isEmpty()) {
      return START;
    }
    Matcher parts = TEXT.matcher(text.get());
    if (!parts.matches() || Integer.parseInt(parts.group(1)) >= partitions) {
      throw new IllegalArgumentException(
          "'"
              + text.get()
              + "' is not a cursor of this queue with the newest message first; pass the 'next' of"
              + " a page of the same query");
    }
    String cursor = parts.group(3);
    return new NewestCursor(
        Long.parseLong(parts.group(2)),
        Integer.parseInt(parts.group(1)),
        cursor.isEmpty() ? null : cursor);
  }

  /** Returns whether a partition may have messages after this position. */
  boolean isBeforeEndOf(int index) {
    return index != partition || cursor != null;
  }

  /** Returns the part of a range that a partition has after this position. */
  TimeRange rangeOf(int index, TimeRange range) {
    if (partition < 0 || index == partition) {
      return range;
    }
    long end = index < partition ? millis : millis + 1;
    return new TimeRange(range.fromMillis(), Math.min(range.toMillis(), end));
  }

  @Override
  public String toString() {
    return "newest:" + partition + ":" + millis + ":" + (cursor == null ? "" : cursor);
  }
}
