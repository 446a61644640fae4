package io.punctual.memory;

import io.punctual.State;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Finds the page that follows a cursor: the lowest positions above it, of all items in a state.
 *
 * <p>Nothing is kept in the order of a listing, so that nothing is paid for it until somebody
 * lists. A search looks at the time of every item of the lane, which takes about a millisecond a
 * million, and closer at those that may be on the page: few, once the page found so far is full,
 * since only what is earlier than its last item counts from then on.
 */
final class PageSearch implements LaneGuard.Span {
  private final ItemTable items;
  private final Cursor after;
  private final int limit;
  private final long nowMillis;
  private final Place place;
  private final long earliest;
  private final long latest;

  private final PriorityQueue<Found> latestFirst = new PriorityQueue<>(Collections.reverseOrder());
  private boolean hasMore;

  private record Found(Cursor position, Item item) implements Comparable<Found> {
    @Override
    public int compareTo(Found other) {
      return position.compareTo(other.position);
    }
  }

  PageSearch(ItemTable items, State state, Cursor after, int limit, long nowMillis) {
    this.items = items;
    this.after = after;
    this.limit = limit;
    this.nowMillis = nowMillis;
    place =
        switch (state) {
          case SCHEDULED, READY -> Place.WAITING;
          case LEASED -> Place.LEASED;
          case DEAD -> Place.DEAD;
        };
    earliest = Math.max(after.time(), state == State.SCHEDULED ? nowMillis + 1 : Long.MIN_VALUE);
    latest = state == State.READY ? nowMillis : Long.MAX_VALUE;
  }

  @Override
  public void visit(int from, int to) {
    for (int slot = from; slot < to; slot++) {
      if (items.placeAt(slot) == place) {
        visit(slot, items.timeAt(slot));
      }
    }
  }

  private void visit(int slot, long time) {
    if (time < earliest || time > latest) {
      return;
    }
    if (latestFirst.size() == limit && time > latestFirst.element().position.time()) {
      hasMore = true;
      return;
    }
    Item item = items.at(slot);
    if (item != null) {
      consider(new Found(new Cursor(time, item.id), item));
    }
  }

  private void consider(Found found) {
    if (found.position.compareTo(after) <= 0) {
      return;
    }
    latestFirst.add(found);
    if (latestFirst.size() > limit) {
      latestFirst.remove();
      hasMore = true;
    }
  }

  /** The page, after every slot was visited. What changed meanwhile is left out. */
  EntryPage page() {
    List<Found> found = new ArrayList<>(latestFirst);
    Collections.sort(found);
    List<Entry> entries = new ArrayList<>(found.size());
    for (Found one : found) {
      Item item = one.item;
      if (items.at(item.slot) == item && item.place == place && item.time == one.position.time()) {
        entries.add(item.toEntry(nowMillis));
      }
    }
    return new EntryPage(
        List.copyOf(entries), hasMore ? found.get(found.size() - 1).position.toString() : null);
  }
}
