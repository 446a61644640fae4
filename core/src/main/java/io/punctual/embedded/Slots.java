package io.punctual.embedded;

import io.punctual.State;

/**
 * The messages of a partition by slot. A slot is a small number that a message keeps until it is
 * removed; later the slot can belong to a different message.
 */
public interface Slots {
  /** The result of a method that finds no message. */
  int NONE = -1;

  /** The place of the message in a slot, or {@link Place#FREE}. */
  Place place(int slot);

  /** The time of the message in a slot, in milliseconds from 1970; see {@link Place}. */
  long time(int slot);

  /** Returns whether a slot has the id of a finished message that is not remembered any more. */
  default boolean isForgotten(int slot, long nowMillis) {
    return place(slot) == Place.FINISHED && time(slot) <= nowMillis;
  }

  /** The state of the message in a slot that is not free. */
  default State state(int slot, long nowMillis) {
    return place(slot).state(time(slot), nowMillis);
  }
}
