package io.punctual.internal.deadletter;

import io.punctual.State;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.internal.message.DeadLetterMatch;
import io.punctual.internal.message.FailureSummary;
import io.punctual.internal.queue.Listing;
import io.punctual.internal.queue.QueueView;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.Partition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Reads pages of dead letters without their payloads, and selects the dead letters of a filter.
 * Immutable.
 */
final class DeadLetterScan {
  /** The number of dead letters on a page, the largest that a partition accepts. */
  static final int PAGE = Partition.MAX_PAGE;

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
    /** Returns the size of a page that would end with this match; the first match is number 1. */
    int endOf(int match) {
      return found.get(match - 1).index() + 1;
    }
  }

  /**
   * A page that is not compared with the filter yet.
   *
   * @param next the cursor of the next page, or empty after the last page
   */
  record ReadPage(List<Entry> entries, Optional<String> next) {}

  private final QueueView<?> view;
  private final DeadLetterFilter filter;
  private final EntryQuery query;

  DeadLetterScan(QueueView<?> view, DeadLetterFilter filter) {
    this(view, filter, false);
  }

  DeadLetterScan(QueueView<?> view, DeadLetterFilter filter, boolean newestFirst) {
    this.view = view;
    this.filter = filter;
    this.query = new EntryQuery(State.DEAD, DeadLetterMatch.range(filter), newestFirst, false);
  }

  /** Reads the page at a cursor, and selects its matches. */
  CompletionStage<ScannedPage> page(Optional<String> cursor, int limit) {
    return read(cursor, limit).thenApply(this::scanned);
  }

  /** Reads the page at a cursor. */
  CompletionStage<ReadPage> read(Optional<String> cursor, int limit) {
    return Listing.page(view.partitions(), query, cursor, limit)
        .thenApply(page -> new ReadPage(page.entries(), page.next()));
  }

  /** Selects the matches of a page. */
  ScannedPage scanned(ReadPage page) {
    List<Entry> entries = page.entries();
    List<Found> found = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      Entry entry = entries.get(i);
      FailureSummary failure = DeadLetterMatch.of(filter, entry);
      if (failure != null) {
        found.add(new Found(i, entry.id(), entry.diedAtMillis(), failure));
      }
    }
    return new ScannedPage(found, entries.size(), page.next());
  }
}
