package io.punctual.jdbc.partition;

import io.punctual.embedded.Place;
import org.jspecify.annotations.Nullable;

/** A message during a call: as the database has it, and as the call leaves it. */
final class Row {
  static final byte[] NO_HISTORY = {};

  final String id;

  /** Whether the database has the message. */
  boolean stored;

  Place place = Place.FREE;

  /** In milliseconds from 1970; {@link Place} defines its meaning. */
  long time;

  /** The due time of a message that does not wait. */
  long due;

  /** The token of the last lease; stays after the lease. 0 if the message was never leased. */
  long token;

  int attempts;
  boolean cancelled;
  boolean changed;

  /** The new content, encoded, or null if the content stays. */
  byte @Nullable [] content;

  /** The new history, or null if the history stays. */
  byte @Nullable [] history;

  Row(String id) {
    this.id = id;
  }

  long dueMillis() {
    return place == Place.WAITING ? time : due;
  }

  void makeWait(long dueMillis) {
    place = Place.WAITING;
    time = dueMillis;
    cancelled = false;
    changed = true;
  }

  void restart(long dueMillis) {
    attempts = 0;
    history = NO_HISTORY;
    makeWait(dueMillis);
  }
}
