package io.punctual.memory;

import io.punctual.State;
import io.punctual.embedded.Cursor;
import io.punctual.embedded.Place;
import io.punctual.embedded.SlotScan;
import io.punctual.spi.EntryPage;
import io.punctual.spi.TimeRange;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Finds the page after a cursor: the items in a state with the lowest positions after the cursor.
 *
 * <p>The partition keeps no order for listings, so that only listings have the cost of sorting. A
 * search reads the time of every item of the partition, at some milliseconds per million, and reads
 * the ids only of items that may be on the page. Once the page is full, these are the few items
 * whose time is not after the last item of the page.
 */
final class PageSearch implements SlotScan {
  private final ItemTable items;
  private final Cursor after;
  private final int limit;
  private final long nowMillis;
  private final Place place;
  private final long earliest;
  private long latest;

  /** The items of the page so far, latest first, and a further item if there is a next page. */
  private final PriorityQueue<Found> latestFirst = new PriorityQueue<>(Collections.reverseOrder());

  private record Found(Cursor position, Item item) implements Comparable<Found> {
    @Override
    public int compareTo(Found other) {
      return position.compareTo(other.position);
    }
  }

  PageSearch(
      ItemTable items, State state, TimeRange range, Cursor after, int limit, long nowMillis) {
    this.items = items;
    this.after = after;
    this.limit = limit;
    this.nowMillis = nowMillis;
    place = Place.of(state);
    earliest =
        Math.max(
            Math.max(range.fromMillis(), after.time()),
            isInFuture(state) ? nowMillis + 1 : Long.MIN_VALUE);
    latest = Math.min(range.lastMillis(), state == State.READY ? nowMillis : Long.MAX_VALUE);
  }

  /** Returns whether the time of each message in this state is in the future. */
  private static boolean isInFuture(State state) {
    return state == State.SCHEDULED || state == State.FINISHED;
  }

  @Override
  public void visit(int from, int to) {
    for (int slot = from; slot < to; slot++) {
      if (items.place(slot) == place) {
        visit(slot, items.time(slot));
      }
    }
  }

  private void visit(int slot, long time) {
    Item item = time < earliest || time > latest ? null : items.at(slot);
    if (item != null && after.compareTo(time, item.id) < 0 && isBeforeTheLast(time, item.id)) {
      add(new Found(new Cursor(time, item.id), item));
    }
  }

  private boolean isBeforeTheLast(long time, String id) {
    return latestFirst.size() <= limit || latestFirst.element().position.compareTo(time, id) > 0;
  }

  private void add(Found found) {
    if (latestFirst.size() > limit) {
      latestFirst.remove();
    }
    latestFirst.add(found);
    if (latestFirst.size() > limit) {
      latest = latestFirst.element().position.time();
    }
  }

  /**
   * Returns the page after the scan has visited every slot. Items that changed during the scan are
   * left out.
   */
  EntryPage page(boolean withContents) {
    List<Found> found = new ArrayList<>(latestFirst);
    Collections.sort(found);
    List<Found> onPage = found.subList(0, Math.min(limit, found.size()));
    return new EntryPage(
        onPage.stream()
            .filter(this::isThere)
            .map(one -> one.item.toEntry(nowMillis, withContents))
            .toList(),
        found.size() > limit ? onPage.get(limit - 1).position.toString() : null);
  }

  private boolean isThere(Found found) {
    Item item = found.item;
    return items.at(item.slot) == item && item.place == place && item.time == found.position.time();
  }
}
