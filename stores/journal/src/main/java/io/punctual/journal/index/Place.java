package io.punctual.journal.index;

/** Where in a partition a message is. */
public enum Place {
  /** Nowhere: the slot is free. */
  FREE(0),
  /** Not claimed; claimable once it is due and its record is safe. */
  WAITING(1),
  /** Claimed. */
  LEASED(2),
  /** A dead letter. */
  DEAD(3);

  private static final Place[] BY_CODE = values();

  private final int code;

  Place(int code) {
    this.code = code;
  }

  /** Two bits that stand for it. */
  int code() {
    return code;
  }

  static Place of(int code) {
    return BY_CODE[code];
  }
}
