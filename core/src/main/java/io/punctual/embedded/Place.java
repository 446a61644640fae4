package io.punctual.embedded;

import io.punctual.State;

/** The stored state of a message, which decides the meaning of the message's time. */
public enum Place {
  /** The slot has no message. */
  FREE(0),
  /** Not claimed; the time is the due time. */
  WAITING(1),
  /** Claimed; the time is the end of the lease. */
  LEASED(2),
  /** A dead letter; the time is the time of the burial. */
  DEAD(3),
  /** Finished, and only the id is left; the time is the time at which the id is forgotten. */
  FINISHED(4);

  private static final Place[] BY_CODE = values();

  private final int code;

  Place(int code) {
    this.code = code;
  }

  /** The code of the place, in three bits. */
  public int code() {
    return code;
  }

  /** The place with a code. */
  public static Place withCode(int code) {
    return BY_CODE[code];
  }

  /** The place of messages in a state. */
  public static Place of(State state) {
    return switch (state) {
      case SCHEDULED, READY -> WAITING;
      case LEASED -> LEASED;
      case DEAD -> DEAD;
      case FINISHED -> FINISHED;
    };
  }

  /**
   * The state of a message in this place.
   *
   * @param timeMillis the message's time
   */
  public State state(long timeMillis, long nowMillis) {
    return switch (this) {
      case FREE -> throw new IllegalStateException("A free slot has no message");
      case WAITING -> timeMillis <= nowMillis ? State.READY : State.SCHEDULED;
      case LEASED -> State.LEASED;
      case DEAD -> State.DEAD;
      case FINISHED -> State.FINISHED;
    };
  }
}
