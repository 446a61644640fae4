package io.punctual.internal.client;

import io.punctual.DeadLetterFilter;
import io.punctual.State;
import io.punctual.internal.runtime.FailureSummary;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.Partition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Reads pages of dead letters without their payloads, and selects the dead letters of a filter.
 * Immutable.
 */
final class DeadLetterScan {
  /**
   * A dead letter that matches.
   *
   * @param index the index of the dead letter on its page, from 0
   * @param failure the failure by which it is grouped
   */
  record Found(int index, String id, long diedMillis, FailureSummary failure) {}

  /**
   * A page.
   *
   * @param found the dead letters that match
   * @param examined the number of dead letters on the page
   * @param next the cursor of the next page, or empty after the last page
   */
  record ScannedPage(List<Found> found, int examined, Optional<String> next) {
    /** Returns the size of the page that ends with the match of this number, from 1. */
    int endOf(int match) {
      return found.get(match - 1).index() + 1;
    }
  }

  private final QueueView<?> view;
  private final DeadLetterFilter filter;

  DeadLetterScan(QueueView<?> view, DeadLetterFilter filter) {
    this.view = view;
    this.filter = filter;
  }

  /** Reads the page at a cursor. */
  CompletionStage<ScannedPage> page(Optional<String> cursor, int limit) {
    int partitions = view.partitions().all().size();
    PartitionCursor from = PartitionCursor.parse(cursor, partitions);
    Partition partition = view.partitions().all().get(from.partition()).partition();
    return partition
        .browse(State.DEAD, from.cursor(), limit, false)
        .thenApply(page -> scanned(page, from, partitions));
  }

  private ScannedPage scanned(EntryPage page, PartitionCursor from, int partitions) {
    List<Entry> entries = page.entries();
    List<Found> found = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      Entry entry = entries.get(i);
      if (!died(entry).isBefore(filter.diedBefore())) {
        return new ScannedPage(found, i, from.after(null, partitions));
      }
      Found match = match(i, entry);
      if (match != null) {
        found.add(match);
      }
    }
    return new ScannedPage(found, entries.size(), from.after(page.next(), partitions));
  }

  private @Nullable Found match(int index, Entry entry) {
    if (died(entry).isBefore(filter.diedFrom()) || !entry.id().startsWith(filter.idPrefix())) {
      return null;
    }
    FailureSummary failure = FailureSummary.of(entry.history());
    boolean matches =
        (filter.reason().isEmpty() || filter.reason().get() == failure.reason())
            && failure.failure().contains(filter.failure())
            && (filter.group().isEmpty() || filter.group().get().equals(failure.key()));
    return matches ? new Found(index, entry.id(), entry.diedAtMillis(), failure) : null;
  }

  private static Instant died(Entry entry) {
    return Instant.ofEpochMilli(entry.diedAtMillis());
  }
}
