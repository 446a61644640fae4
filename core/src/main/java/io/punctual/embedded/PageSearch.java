package io.punctual.embedded;

import io.punctual.State;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.TimeRange;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Finds the page after a cursor. The page has the messages with the lowest positions after the
 * cursor, in a state and a range of times.
 *
 * <p>The partition keeps no order for listings, so that only listings have the cost of sorting. A
 * search looks at every slot of the partition, and reads the time of each message in the place of
 * the state. It reads an id only if the message is on the page, or to compare messages with equal
 * times.
 *
 * <p>Used under the partition's lock, or on the partition's thread.
 *
 * @param <M> the identity of a message
 */
public final class PageSearch<M> implements SlotScan {
  private final Messages<M> messages;
  private final Cursor after;
  private final int limit;
  private final long nowMillis;
  private final Place place;
  private final long earliest;
  private final long latest;

  /** The messages of the page so far, latest first. */
  private final PriorityQueue<Found> latestFirst = new PriorityQueue<>(Collections.reverseOrder());

  /** Whether a message follows the messages of the page. */
  private boolean hasMore;

  /**
   * The messages of a partition, as a search reads them.
   *
   * @param <M> the identity of a message
   */
  public interface Messages<M> extends Slots {
    /**
     * The identity of the message in a slot that is not free. A later message in the slot has a
     * different identity.
     */
    M message(int slot);

    /**
     * The id of a message; empty if the id can't be read, because it is damaged, or because the
     * slot has a different message now.
     */
    String id(int slot, M message);

    /** The entry of the message in a slot that is not free, with its content if it is requested. */
    Entry entry(int slot, long nowMillis, boolean withContent);
  }

  /**
   * A message of the page. It keeps its position on the page when the message changes, so that the
   * next page begins after this position.
   */
  private final class Found implements Comparable<Found> {
    final long time;
    final int slot;
    final M message;
    private @Nullable String id;

    Found(long time, int slot) {
      this.time = time;
      this.slot = slot;
      message = messages.message(slot);
    }

    String id() {
      String known = id;
      if (known == null) {
        known = messages.id(slot, message);
        id = known;
      }
      return known;
    }

    @Override
    public int compareTo(Found other) {
      return time == other.time ? id().compareTo(other.id()) : Long.compare(time, other.time);
    }

    /** Returns whether the message is unchanged and has a readable id. */
    boolean isListed() {
      return messages.place(slot) == place
          && messages.time(slot) == time
          && messages.message(slot).equals(message)
          && !id().isEmpty();
    }
  }

  /** Creates a search that has visited no slot yet. */
  public PageSearch(
      Messages<M> messages, State state, TimeRange range, Cursor after, int limit, long nowMillis) {
    this.messages = messages;
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
      if (messages.place(slot) == place) {
        visit(slot, messages.time(slot));
      }
    }
  }

  private void visit(int slot, long time) {
    if (time < earliest || time > latest) {
      return;
    }
    Found last = latestFirst.size() == limit ? latestFirst.element() : null;
    if (last != null && time > last.time) {
      hasMore = true;
      return;
    }
    Found found = new Found(time, slot);
    if (time == after.time() && found.id().compareTo(after.id()) <= 0) {
      return;
    }
    if (last == null) {
      latestFirst.add(found);
      return;
    }
    hasMore = true;
    if (found.compareTo(last) < 0) {
      latestFirst.remove();
      latestFirst.add(found);
    }
  }

  /**
   * Returns the page; the scan must have visited every slot. Leaves out messages of the page that
   * changed during the scan, and messages without a readable id.
   */
  public EntryPage page(boolean withContents) {
    List<Found> found = new ArrayList<>(latestFirst);
    Collections.sort(found);
    List<Entry> entries =
        found.stream()
            .filter(Found::isListed)
            .map(one -> messages.entry(one.slot, nowMillis, withContents))
            .toList();
    return new EntryPage(entries, hasMore ? position(found.get(found.size() - 1)) : null);
  }

  private String position(Found found) {
    return new Cursor(found.time, found.id()).toString();
  }
}
