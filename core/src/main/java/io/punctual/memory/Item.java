package io.punctual.memory;

import io.punctual.State;
import io.punctual.embedded.Place;
import io.punctual.spi.Content;
import io.punctual.spi.Entry;
import io.punctual.spi.Reply;

/**
 * A message in a partition, with all of its state. Only {@link PartitionState} moves it from place
 * to place. Guarded by the partition's lock.
 */
final class Item {
  static final byte[] NO_HISTORY = {};

  final String id;

  /** Of the id, as the {@link ItemTable} hashes it. */
  final int hash;

  /** Its number in the {@link ItemTable}, for life. */
  final int slot;

  private Content content;

  /** Of the content on the wire; kept here, as looking there is a cache miss or two. */
  private int contentBytes;

  long dueMillis;
  int attempts;
  byte[] history = NO_HISTORY;

  Place place = Place.WAITING;

  /** In milliseconds from 1970; {@link Place} defines its meaning. */
  long time;

  /** Counts up in the partition whenever an item comes to a place. */
  long arrival;

  /** The fencing token of its lease, if it is leased. */
  long token;

  /** Whether it is leased and will not come back. */
  boolean cancelled;

  /** Where it is in the {@link ItemHeap} that holds it. */
  int heapIndex = ItemHeap.NOWHERE;

  Item(String id, int hash, int slot, Content content) {
    this.id = id;
    this.hash = hash;
    this.slot = slot;
    this.content = content;
    contentBytes = content.approximateBytes();
  }

  /** Takes the content of a new message with the same id. */
  void renew(Content content) {
    this.content = content;
    contentBytes = content.approximateBytes();
    forgetAttempts();
  }

  void forgetAttempts() {
    attempts = 0;
    history = NO_HISTORY;
  }

  State state(long nowMillis) {
    return place.state(time, nowMillis);
  }

  int approximateBytes() {
    return contentBytes + history.length;
  }

  Reply.Leased toLeased() {
    return new Reply.Leased(id, content, dueMillis, attempts, history);
  }

  Entry toEntry(long nowMillis) {
    return new Entry(
        id,
        state(nowMillis),
        content,
        dueMillis,
        attempts,
        history,
        place == Place.LEASED ? time : 0,
        cancelled,
        place == Place.DEAD ? time : 0);
  }
}
