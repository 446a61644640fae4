package io.punctual.jdbc.partition;

import io.punctual.embedded.Place;
import org.jspecify.annotations.Nullable;

/** A message during a call: as it was loaded from the database, with the changes of the call. */
final class Row {
  static final byte[] NO_HISTORY = {};

  final String id;

  /** Whether the database has the message at the start of the call. */
  boolean stored;

  Place place = Place.FREE;

  /** The time of the message in milliseconds from 1970; {@link Place} defines its meaning. */
  long time;

  /**
   * The due time of a leased or dead message, in milliseconds from 1970; of a finished message, the
   * time at which its id is forgotten.
   */
  long due;

  /** The token of the current or last lease, 0 if the message was never leased. */
  long token;

  int attempts;
  boolean cancelled;
  boolean changed;

  /** The new content, encoded, or null if the content does not change. */
  byte @Nullable [] content;

  /** The new history, or null if the history does not change. */
  byte @Nullable [] history;

  Row(String id) {
    this.id = id;
  }

  long dueMillis() {
    return place == Place.WAITING ? time : due;
  }

  /** Returns whether the message is not waiting or has attempts, unlike a new message. */
  boolean hasPast() {
    return place != Place.WAITING || attempts > 0;
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
