package io.punctual.embedded;

import io.punctual.spi.Content;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.EntryQuery;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Finds the page after a cursor. The page has the first messages after the cursor, in a state and a
 * range of times. First are the messages with the lowest positions, or with the highest in a
 * listing with the newest first.
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
  private final EntryQuery query;
  private final Cursor after;
  private final int limit;
  private final long nowMillis;
  private final Place place;
  private final long earliest;
  private final long latest;

  /** The messages of the page so far, the last of the page first. */
  private final PriorityQueue<Found> lastFirst = new PriorityQueue<>(Collections.reverseOrder());

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
      return time == other.time ? byId(id(), other.id()) : byTime(time, other.time);
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
      Messages<M> messages, EntryQuery query, Cursor after, int limit, long nowMillis) {
    this.messages = messages;
    this.query = query;
    this.after = after;
    this.limit = limit;
    this.nowMillis = nowMillis;
    place = Place.of(query.state());
    earliest =
        Math.max(query.firstMillis(nowMillis), query.newestFirst() ? Long.MIN_VALUE : after.time());
    latest =
        Math.min(query.lastMillis(nowMillis), query.newestFirst() ? after.time() : Long.MAX_VALUE);
  }

  private int byTime(long time, long other) {
    return query.newestFirst() ? Long.compare(other, time) : Long.compare(time, other);
  }

  private int byId(String id, String other) {
    return query.newestFirst() ? other.compareTo(id) : id.compareTo(other);
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
    Found last = lastFirst.size() == limit ? lastFirst.element() : null;
    if (last != null && byTime(time, last.time) > 0) {
      hasMore = true;
      return;
    }
    Found found = new Found(time, slot);
    if (time == after.time() && byId(found.id(), after.id()) <= 0) {
      return;
    }
    if (last == null) {
      lastFirst.add(found);
      return;
    }
    hasMore = true;
    if (found.compareTo(last) < 0) {
      lastFirst.remove();
      lastFirst.add(found);
    }
  }

  /**
   * Returns the page; the scan must have visited every slot. Leaves out messages of the page that
   * changed during the scan, and messages without a readable id. Ends early when the page would
   * become too large, because all of it is in memory at once.
   */
  public EntryPage page() {
    List<Found> found = new ArrayList<>(lastFirst);
    Collections.sort(found);
    List<Entry> entries = new ArrayList<>(found.size());
    long bytes = 0;
    Found last = null;
    for (Found one : found) {
      if (one.isListed()) {
        Entry entry = messages.entry(one.slot, nowMillis, query.withContents());
        bytes += last == null ? 0 : bytes(entry);
        if (last != null && bytes > ClaimSelection.REPLY_BYTES) {
          return new EntryPage(entries, position(last));
        }
        entries.add(entry);
      }
      last = one;
    }
    return new EntryPage(entries, hasMore && last != null ? position(last) : null);
  }

  private static int bytes(Entry entry) {
    Content content = entry.content();
    return entry.history().length + (content == null ? 0 : content.approximateBytes());
  }

  private String position(Found found) {
    return new Cursor(found.time, found.id(), query.newestFirst()).toString();
  }
}
