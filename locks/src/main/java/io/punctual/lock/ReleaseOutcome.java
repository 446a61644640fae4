package io.punctual.lock;

/** The outcome of a release. */
public enum ReleaseOutcome {
  /** It was held until this moment, and is given back. */
  RELEASED,

  /** Its owner entered it more than once, and still holds it. */
  STILL_HELD,

  /** It was lost before: its lease had run out, or it was taken away. */
  LOST,

  /**
   * The server did not answer, or only a repeated question: it is given back or was lost before. It
   * ends with its lease at the latest.
   */
  UNCONFIRMED
}
