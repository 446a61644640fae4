package io.punctual.memory;

/** Where in a partition a message is. What its time means depends on it. */
enum Place {
  /** Not claimed; its time is when it is due. */
  WAITING,
  /** Claimed; its time is when the lease ends. */
  LEASED,
  /** A dead letter; its time is when it died. */
  DEAD
}
