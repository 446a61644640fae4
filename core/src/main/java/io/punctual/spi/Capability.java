package io.punctual.spi;

/** What a store may lack. Asked for all the same, it throws an exception that names it. */
public enum Capability {
  /** Cancel by id. */
  CANCEL,
  /** Reschedule and run now by id. */
  RESCHEDULE,
  /** Find by id, and browse by state. */
  BROWSE,
  /** How many come due when. */
  FORECAST,
  /** Pause and resume. */
  PAUSE,
  /** Purge. */
  PURGE,
  /** Dead letters to look at, redrive and delete. */
  DEAD_LETTERS,
  /** A durability chosen for each call. */
  DURABILITY
}
