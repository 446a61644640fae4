package io.punctual.spi;

import io.punctual.IfPresent;

/**
 * One change that a client asks a partition for. The table of what each does in each state of an id
 * stands in the project's documentation, and as tests in the contract suite. Each can be answered
 * by {@link Outcome.Failed} as well.
 */
public sealed interface Operation {
  /** Returns the id of the message that it is about. */
  String id();

  /** Stores a message; answered by {@link Outcome.OfSchedule} or {@link Outcome.Full}. */
  record Schedule(String id, DueTime due, IfPresent ifPresent, Content content)
      implements Operation {}

  /** Removes a waiting message, or marks a leased one; answered by {@link Outcome.OfCancel}. */
  record Cancel(String id) implements Operation {}

  /** Moves a waiting message in time; answered by {@link Outcome.OfReschedule}. */
  record Reschedule(String id, DueTime due) implements Operation {}

  /**
   * Makes a waiting message due now unless it is already; answered by {@link Outcome.OfReschedule}.
   */
  record RunNow(String id) implements Operation {}

  /**
   * Makes a dead letter due now, attempts and history forgotten; answered by {@link
   * Outcome.OfDeadLetter}.
   */
  record Redrive(String id) implements Operation {}

  /** Removes a dead letter; answered by {@link Outcome.OfDeadLetter}. */
  record DeleteDead(String id) implements Operation {}

  /** A change by the holder of a lease; answered by {@link Outcome.OfSettlement}. */
  sealed interface Settlement extends Operation {
    /** Returns the fencing token that the claim answered with. */
    long token();
  }

  /** Done: the message goes. */
  record Ack(String id, long token) implements Settlement {}

  /**
   * Failed: the message comes back then.
   *
   * @param history what the client wants to find in {@link Reply.Leased#history} next time; bounded
   *     by the client
   */
  record Retry(String id, long token, DueTime due, byte[] history) implements Settlement {}

  /**
   * Given up: the message becomes a dead letter.
   *
   * @param history why, and what happened before, for whoever looks at it later
   */
  record Bury(String id, long token, byte[] history) implements Settlement {}

  /**
   * Holds on: the lease now ends {@code leaseMillis} from the store's now. Also when it had run out
   * and nobody has claimed the message since.
   */
  record Extend(String id, long token, long leaseMillis) implements Settlement {}

  /** Gives back: due at its old due time, and the attempt is not counted. */
  record Release(String id, long token) implements Settlement {}
}
