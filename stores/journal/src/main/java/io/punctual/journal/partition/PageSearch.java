package io.punctual.journal.partition;

import io.punctual.State;
import io.punctual.embedded.Cursor;
import io.punctual.embedded.Place;
import io.punctual.embedded.SlotScan;
import io.punctual.journal.report.JournalDamagedException;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.TimeRange;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Finds the page of messages in a state that follows a cursor. The order is by time, then by id.
 *
 * <p>The partition maintains no sorted order for browsing, which would slow down other calls. A
 * search looks at the time of every message of the partition, in memory. It reads from the disk the
 * ids of the page's messages, and of messages with the same time as the first or last of them.
 */
final class PageSearch implements SlotScan {
  /**
   * The placeholder for an id that can't be read. The placeholder sorts before every id, and the
   * message is left out of pages.
   */
  private static final String UNKNOWN = "";

  private final PartitionState partition;
  private final Cursor after;
  private final int limit;
  private final long nowMillis;
  private final Place place;
  private final long earliest;
  private final long latest;

  private final PriorityQueue<Found> latestFirst = new PriorityQueue<>(Collections.reverseOrder());
  private boolean hasMore;

  private final class Found implements Comparable<Found> {
    final long time;
    final int slot;
    final long sequence;
    private @Nullable String id;

    Found(long time, int slot) {
      this.time = time;
      this.slot = slot;
      this.sequence = partition.slots().sequence(slot);
    }

    /** Returns the id, or {@link #UNKNOWN} if it can't be read. */
    String id() {
      String known = id;
      if (known == null) {
        try {
          known = partition.reads().id(slot);
        } catch (JournalDamagedException e) {
          partition.reads().warn(e);
          known = UNKNOWN;
        }
        id = known;
      }
      return known;
    }

    @Override
    public int compareTo(Found other) {
      return time == other.time ? id().compareTo(other.id()) : Long.compare(time, other.time);
    }

    boolean isStillThere() {
      return partition.slots().sequence(slot) == sequence
          && partition.slots().place(slot) == place
          && partition.time(slot) == time;
    }
  }

  PageSearch(
      PartitionState partition,
      State state,
      TimeRange range,
      Cursor after,
      int limit,
      long nowMillis) {
    this.partition = partition;
    this.after = after;
    this.limit = limit;
    this.nowMillis = nowMillis;
    place = Place.of(state);
    boolean isInFuture = state == State.SCHEDULED || state == State.FINISHED;
    earliest =
        Math.max(
            Math.max(range.fromMillis(), after.time()),
            isInFuture ? nowMillis + 1 : Long.MIN_VALUE);
    latest = Math.min(range.lastMillis(), state == State.READY ? nowMillis : Long.MAX_VALUE);
  }

  @Override
  public void visit(int from, int to) {
    latestFirst.removeIf(found -> !found.isStillThere());
    for (int slot = from; slot < to; slot++) {
      if (partition.slots().place(slot) == place) {
        visit(slot, partition.time(slot));
      }
    }
  }

  private void visit(int slot, long time) {
    if (time < earliest || time > latest) {
      return;
    }
    if (latestFirst.size() == limit && time > latestFirst.element().time) {
      hasMore = true;
      return;
    }
    Found found = new Found(time, slot);
    if (time > after.time() || found.id().compareTo(after.id()) > 0) {
      latestFirst.add(found);
      if (latestFirst.size() > limit) {
        latestFirst.remove();
        hasMore = true;
      }
    }
  }

  /**
   * Returns the page, after every slot was visited. Messages that changed during the search are
   * left out.
   */
  EntryPage page(Entries entries, boolean withContents) {
    List<Found> found = new ArrayList<>(latestFirst);
    found.removeIf(one -> !one.isStillThere() || one.id().equals(UNKNOWN));
    Collections.sort(found);
    List<Entry> page =
        found.stream().map(one -> entries.of(one.slot, nowMillis, withContents)).toList();
    if (!hasMore) {
      return new EntryPage(page, null);
    }
    Found last = found.isEmpty() ? null : found.get(found.size() - 1);
    Cursor next = last == null ? after : new Cursor(last.time, last.id());
    return new EntryPage(page, next.toString());
  }
}
