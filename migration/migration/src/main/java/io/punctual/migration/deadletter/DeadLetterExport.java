package io.punctual.migration.deadletter;

import io.punctual.State;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.internal.message.DeadLetterMatch;
import io.punctual.migration.message.MessageImage;
import io.punctual.migration.message.QueueReader;
import io.punctual.spi.Entry;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import io.punctual.spi.TimeRange;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the dead letters of a queue as lines of JSON, which {@link DeadLetterImport} reads. A line
 * has every part of its dead letter: id, payload, headers, recurrence, due time, time of creation,
 * expiry, attempts, failures, and time of death. The queue does not change. A message that becomes
 * a dead letter during the export, or a dead letter that is removed during it, may or may not be
 * exported. Keeps a few pages in memory. Not thread-safe.
 */
public final class DeadLetterExport {
  private static final Logger log = LoggerFactory.getLogger(DeadLetterExport.class);

  private final QueueReader reader;
  private DeadLetterFilter filter = DeadLetterFilter.ALL;
  private BiConsumer<String, String> unreadable;

  private DeadLetterExport(Store store, String queue) {
    reader = new QueueReader(store, queue, false);
    unreadable =
        (id, why) ->
            log.warn("The dead letter '{}' of queue '{}' is not exported: {}", id, queue, why);
  }

  /**
   * Returns an export of a queue. The caller keeps the store open, and closes it.
   *
   * @throws io.punctual.PunctualException if the store refuses a request, or does not answer for a
   *     minute
   */
  public static DeadLetterExport of(Store store, String queue) {
    return new DeadLetterExport(store, queue);
  }

  /** Sets the filter; {@link DeadLetterFilter#ALL} by default. */
  public DeadLetterExport filter(DeadLetterFilter wanted) {
    filter = Objects.requireNonNull(wanted, "wanted");
    return this;
  }

  /**
   * Sets the receiver of dead letters that can't be exported, for example because the store can't
   * read their content. It gets the id and the reason. By default the log has a WARN for each.
   */
  public DeadLetterExport onUnreadable(BiConsumer<String, String> receiver) {
    unreadable = Objects.requireNonNull(receiver, "receiver");
    return this;
  }

  /**
   * Passes a line for each dead letter that the filter selects to {@code lines}, without a line
   * break, partition by partition, and within a partition by time of death. Blocks until the end.
   *
   * @return the number of lines
   * @throws io.punctual.PunctualException if the store refused a request, or did not answer for a
   *     minute
   */
  public long to(Consumer<String> lines) {
    long[] count = {0};
    TimeRange range = DeadLetterMatch.range(filter);
    for (Partition partition : reader.partitions()) {
      reader.forEachPage(
          partition,
          State.DEAD,
          range,
          page -> {
            for (Entry entry : page) {
              if (count[0] < filter.limit() && DeadLetterMatch.of(filter, entry) != null) {
                count[0] += export(entry, lines);
              }
            }
            return count[0] < filter.limit();
          });
    }
    return count[0];
  }

  /** Exports a dead letter; returns 1, or 0 if the dead letter can't be read. */
  private int export(Entry entry, Consumer<String> lines) {
    MessageImage image;
    try {
      image = MessageImage.of(entry);
    } catch (IllegalArgumentException e) {
      unreadable.accept(entry.id(), String.valueOf(e.getMessage()));
      return 0;
    }
    lines.accept(DeadLetterLine.of(image));
    return 1;
  }
}
