package io.punctual.memory;

import io.punctual.State;
import io.punctual.embedded.Place;
import io.punctual.spi.Content;
import io.punctual.spi.Entry;
import io.punctual.spi.Reply;
import org.jspecify.annotations.Nullable;

/**
 * A message in a partition, with all of its state. Only {@link PartitionState} moves it from place
 * to place. Guarded by the partition's lock.
 */
final class Item {
  static final byte[] NO_HISTORY = {};

  static final Content NO_CONTENT = Content.of(new byte[0]);
  private static final int NO_CONTENT_BYTES = NO_CONTENT.approximateBytes();

  final String id;

  /** The hash of the id, as {@link ItemTable} computes it. */
  final int hash;

  /** The number of the item in the {@link ItemTable}, which never changes. */
  final int slot;

  private Content content;

  /**
   * The size of the content on the wire, which is copied here to avoid the cache misses of reading
   * the content.
   */
  private int contentBytes;

  long dueMillis;
  int attempts;
  byte[] history = NO_HISTORY;

  Place place = Place.WAITING;

  /** The item's time in milliseconds from 1970; {@link Place} defines its meaning. */
  long time;

  /**
   * Orders items with equal times: a number from the partition's counter, which the item got when
   * it was last added, replaced, claimed or moved to a different place.
   */
  long arrival;

  /** The fencing token of the lease, if the item is leased. */
  long token;

  /** The session that leased the item last, or null if no session has leased it. */
  @Nullable String holder;

  /** Whether the item was cancelled while leased, so that it is not delivered again. */
  boolean cancelled;

  /** The index of the item in the {@link ItemHeap} that holds it, or {@link ItemHeap#NOWHERE}. */
  int heapIndex = ItemHeap.NOWHERE;

  Item(String id, int hash, int slot, Content content) {
    this.id = id;
    this.hash = hash;
    this.slot = slot;
    this.content = content;
    contentBytes = content.approximateBytes();
  }

  /**
   * Takes the content of a new message with the same id, of this size, and forgets the attempts and
   * the history.
   */
  void renew(Content content, int bytes) {
    this.content = content;
    contentBytes = bytes;
    forgetAttempts();
  }

  void forgetAttempts() {
    attempts = 0;
    history = NO_HISTORY;
  }

  /** Drops the content, the attempts and the history, because the message is finished. */
  void finish() {
    renew(NO_CONTENT, NO_CONTENT_BYTES);
    cancelled = false;
  }

  State state(long nowMillis) {
    return place.state(time, nowMillis);
  }

  int approximateBytes() {
    return contentBytes + history.length;
  }

  Reply.Leased toLeased(int attempt) {
    return new Reply.Leased(id, content, dueMillis, attempt, history);
  }

  Entry toEntry(long nowMillis) {
    return toEntry(nowMillis, true);
  }

  Entry toEntry(long nowMillis, boolean withContent) {
    return new Entry(
        id,
        state(nowMillis),
        withContent && place != Place.FINISHED ? content : null,
        dueMillis,
        attempts,
        history,
        place == Place.LEASED ? time : 0,
        cancelled,
        place == Place.DEAD ? time : 0,
        place == Place.LEASED ? holder : null);
  }
}
