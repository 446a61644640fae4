package io.punctual.journal.partition;

import io.punctual.State;
import io.punctual.embedded.Cursor;
import io.punctual.embedded.Place;
import io.punctual.embedded.SlotScan;
import io.punctual.journal.report.JournalDamagedException;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Finds the page that follows a cursor: the lowest positions above it, of all messages in a state.
 *
 * <p>The partition keeps no order for listings, so that only a listing pays for it. A search reads
 * the time of every message of the partition. Ids are on the disk: a search reads the ids of the
 * page's messages, and of messages with the same time as its first or last message.
 */
final class PageSearch implements SlotScan {
  /** In place of an id that can't be read: comes before every id, and is left out of pages. */
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

    /** The id, or {@link #UNKNOWN}. */
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

  PageSearch(PartitionState partition, State state, Cursor after, int limit, long nowMillis) {
    this.partition = partition;
    this.after = after;
    this.limit = limit;
    this.nowMillis = nowMillis;
    place = Place.of(state);
    earliest = Math.max(after.time(), state == State.SCHEDULED ? nowMillis + 1 : Long.MIN_VALUE);
    latest = state == State.READY ? nowMillis : Long.MAX_VALUE;
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

  /** The page, after every slot was visited. Messages that changed meanwhile are left out. */
  EntryPage page(Entries entries) {
    List<Found> found = new ArrayList<>(latestFirst);
    found.removeIf(one -> !one.isStillThere() || one.id().equals(UNKNOWN));
    Collections.sort(found);
    List<Entry> page = found.stream().map(one -> entries.of(one.slot, nowMillis)).toList();
    if (!hasMore) {
      return new EntryPage(page, null);
    }
    Found last = found.isEmpty() ? null : found.get(found.size() - 1);
    Cursor next = last == null ? after : new Cursor(last.time, last.id());
    return new EntryPage(page, next.toString());
  }
}
