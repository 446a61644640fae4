package io.punctual.internal.queue;

import io.punctual.internal.queue.Listing.ListedPage;
import io.punctual.internal.runtime.AsyncLoop;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.Partition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Merges the listings of all partitions into a page with the newest message first. Messages of the
 * same time are sorted by their partitions. Each partition is asked for its share of the page, and
 * for more if it has more of the newest messages. The steps run one after another.
 */
final class NewestFirst {
  private final EntryQuery query;
  private final int limit;
  private final List<Source> sources = new ArrayList<>();
  private final List<Entry> found = new ArrayList<>();

  /** The partition of the last found message. */
  private @Nullable Source last;

  /** How many messages a partition with too few messages is asked for. */
  private int share;

  private NewestFirst(List<Partition> partitions, EntryQuery query, NewestCursor from, int limit) {
    this.query = query;
    this.limit = limit;
    // Twice an equal share, so that mostly one question for each partition is enough.
    this.share = Math.min(limit, 2 * (limit / partitions.size() + 1));
    for (int i = 0; i < partitions.size(); i++) {
      sources.add(new Source(partitions.get(i), i, from));
    }
  }

  static CompletionStage<ListedPage> page(
      List<Partition> partitions, EntryQuery query, Optional<String> cursor, int limit) {
    NewestCursor from = NewestCursor.parse(cursor, partitions.size());
    NewestFirst merge = new NewestFirst(partitions, query, from, limit);
    return AsyncLoop.run(merge::step).thenApply(end -> merge.page());
  }

  /** Reads the next messages of each partition that has none left; returns whether to go on. */
  private CompletionStage<Boolean> step() {
    List<Source> empty = sources.stream().filter(Source::isUnknown).toList();
    int asked = Math.min(share, limit - found.size());
    share = Math.min(limit, 2 * share);
    return QueueAdmin.inEach(empty, source -> source.read(asked)).thenApply(read -> merge());
  }

  /**
   * Moves the newest messages to the page. Returns whether a partition must be asked before the
   * next message is known and the page has room for it.
   */
  private boolean merge() {
    while (found.size() < limit) {
      Source newest = null;
      for (Source source : sources) {
        if (source.isUnknown()) {
          // A short answer was cut by its size in bytes, so this page must end here.
          return found.isEmpty() || !source.wasCut;
        }
        if (!source.entries.isEmpty() && (newest == null || source.time() > newest.time())) {
          newest = source;
        }
      }
      if (newest == null) {
        return false;
      }
      found.add(newest.entries.remove());
      last = newest;
    }
    return false;
  }

  private ListedPage page() {
    boolean hasMore =
        sources.stream().anyMatch(source -> !source.entries.isEmpty() || source.hasMore);
    return new ListedPage(
        List.copyOf(found), hasMore && last != null ? Optional.of(next(last)) : Optional.empty());
  }

  private String next(Source source) {
    Entry entry = found.get(found.size() - 1);
    String cursor =
        source.entries.isEmpty()
            ? (source.hasMore ? source.cursor : null)
            : source.partition.cursorAfter(query, entry);
    return new NewestCursor(query.time(entry), source.index, cursor).toString();
  }

  /** The listing of a partition. */
  private final class Source {
    final Partition partition;
    final int index;
    private final EntryQuery part;

    /** The messages that are read and not on the page yet. */
    final Deque<Entry> entries = new ArrayDeque<>();

    /** The cursor of the partition's messages that are not read yet. */
    @Nullable String cursor;

    boolean hasMore;
    boolean wasCut;

    Source(Partition partition, int index, NewestCursor from) {
      this.partition = partition;
      this.index = index;
      this.part = query.withRange(from.rangeOf(index, query.range()));
      this.cursor = from.partition() == index ? from.cursor() : null;
      this.hasMore = from.isBeforeEndOf(index);
    }

    /** Returns whether the partition must be asked for its newest message that is not listed. */
    boolean isUnknown() {
      return entries.isEmpty() && hasMore;
    }

    long time() {
      return query.time(entries.element());
    }

    CompletionStage<EntryPage> read(int most) {
      return partition.browse(part, cursor, most).thenApply(page -> read(page, most));
    }

    private EntryPage read(EntryPage page, int most) {
      entries.addAll(page.entries());
      cursor = page.next();
      hasMore = page.next() != null;
      wasCut = hasMore && page.entries().size() < most;
      return page;
    }
  }
}
