package io.punctual.spi;

import io.punctual.IfPresent;
import io.punctual.SettleOutcome;
import org.jspecify.annotations.Nullable;

/**
 * A change to one message. The project's documentation and the contract suite state the effect of
 * each operation in each state of the message. Every operation can also have the outcomes {@link
 * Outcome.Failed} and {@link Outcome.Busy}.
 */
public sealed interface Operation {
  /** Returns the id of the message. */
  String id();

  /** Returns the content that the operation stores, or null if it stores no content. */
  default @Nullable Content content() {
    return null;
  }

  /** Returns whether the operation can store something under an id that is not in use. */
  default boolean mayAddMessage() {
    return false;
  }

  /** Stores a message; answered by {@link Outcome.OfSchedule} or {@link Outcome.Full}. */
  record Schedule(String id, DueTime due, IfPresent ifPresent, Content content)
      implements Operation {
    @Override
    public boolean mayAddMessage() {
      return true;
    }
  }

  /**
   * Stores a message with its attempts, failures and time of creation, for a copy between stores.
   * The message waits, or is a dead letter. If the id is in use, in any state, nothing is changed.
   * Answered by {@link Outcome.OfSchedule} with {@link io.punctual.ScheduleOutcome#STORED} or
   * {@link io.punctual.ScheduleOutcome#REJECTED}, or by {@link Outcome.Full}.
   *
   * @param dueMillis the due time, in milliseconds from 1970
   * @param attempts the number of deliveries so far, 0 to {@link #MAX_ATTEMPTS}
   * @param history the bytes that a client stored with the last retry or bury; empty for a waiting
   *     message without attempts
   * @param diedAtMillis the time of the burial, in milliseconds from 1970; 0 for a waiting message
   */
  record Restore(
      String id, long dueMillis, int attempts, byte[] history, long diedAtMillis, Content content)
      implements Operation {
    /** The largest number of attempts that every store can keep. */
    public static final int MAX_ATTEMPTS = 100_000_000;

    /**
     * Creates a restore.
     *
     * @throws IllegalArgumentException if the number of attempts is out of range, or a waiting
     *     message without attempts has a history
     */
    public Restore {
      if (attempts < 0 || attempts > MAX_ATTEMPTS) {
        throw new IllegalArgumentException(
            "A message has 0 to " + MAX_ATTEMPTS + " attempts, but '" + id + "' has " + attempts);
      }
      if (attempts == 0 && diedAtMillis == 0 && history.length > 0) {
        throw new IllegalArgumentException(
            "The waiting message '" + id + "' has a history of failures, but no attempts");
      }
    }

    /** Returns whether the message is a dead letter. */
    public boolean isDead() {
      return diedAtMillis != 0;
    }

    @Override
    public boolean mayAddMessage() {
      return true;
    }
  }

  /**
   * Remembers the id of a message that is finished already, for a copy between stores: the id has
   * the state {@link io.punctual.State#FINISHED}. If the id is in use, in any state, nothing is
   * changed. The outcomes are those of a {@link Restore}. Only stores with {@link
   * Capability#REMEMBER} get this operation.
   *
   * @param untilMillis the time at which the store forgets the id, in milliseconds from 1970. If
   *     the time has passed, the store forgets the id at once
   */
  record Remember(String id, long untilMillis) implements Operation {
    @Override
    public boolean mayAddMessage() {
      return true;
    }
  }

  /**
   * Removes a waiting message, or marks a leased message as cancelled; answered by {@link
   * Outcome.OfCancel}.
   */
  record Cancel(String id) implements Operation {}

  /** Changes the due time of a waiting message; answered by {@link Outcome.OfReschedule}. */
  record Reschedule(String id, DueTime due) implements Operation {}

  /**
   * Makes a waiting message due now, unless it is due already; answered by {@link
   * Outcome.OfReschedule}.
   */
  record RunNow(String id) implements Operation {}

  /**
   * Changes a message that still waits with the due time at which a listing showed it: gives it a
   * new due time, or removes it. Any other message stays as it is; a leased message is not marked
   * as cancelled. Answered by {@link Outcome.OfReschedule}, with {@link
   * io.punctual.RescheduleOutcome#RESCHEDULED} also for a removed message. The outcome is {@link
   * io.punctual.RescheduleOutcome#NOT_FOUND} if there is no message, or if it waits with a
   * different due time.
   *
   * @param dueMillis the due time of the listing, in milliseconds from 1970
   * @param due the new due time, or null to remove the message
   */
  record ChangeWaiting(String id, long dueMillis, @Nullable DueTime due) implements Operation {}

  /**
   * Makes a dead letter due now, and clears its attempts and history; answered by {@link
   * Outcome.OfDeadLetter}. A redrive with new content takes effect even if the store is full,
   * because it replaces the message; only a content that is too large for the store is refused.
   *
   * @param content the new content, or null for the old content
   */
  record Redrive(String id, @Nullable Content content) implements Operation {
    /** Creates a redrive that keeps the content. */
    public Redrive(String id) {
      this(id, null);
    }
  }

  /** Removes a dead letter; answered by {@link Outcome.OfDeadLetter}. */
  record DeleteDead(String id) implements Operation {}

  /** A change by the holder of a lease; answered by {@link Outcome.OfSettlement}. */
  sealed interface Settlement extends Operation {
    /** Returns the fencing token from the reply to the claim. */
    long token();
  }

  /**
   * Removes the message, because it was processed.
   *
   * @param rememberMillis for how long the store remembers the id, in milliseconds: until then, the
   *     id has the state {@link io.punctual.State#FINISHED}. 0 if the store forgets the id at once.
   *     Only stores with {@link Capability#REMEMBER} get values above 0
   */
  record Ack(String id, long token, long rememberMillis) implements Settlement {
    /** Creates an ack. */
    public Ack {
      if (rememberMillis < 0) {
        throw new IllegalArgumentException(
            "The id '" + id + "' can't be remembered for " + rememberMillis + " ms");
      }
    }

    /** Creates an ack after which the store forgets the id. */
    public Ack(String id, long token) {
      this(id, token, 0);
    }
  }

  /**
   * Makes the message due again at this time, after a failed attempt.
   *
   * @param history bytes for {@link Reply.Leased#history} of the next delivery; the client bounds
   *     their size
   */
  record Retry(String id, long token, DueTime due, byte[] history) implements Settlement {}

  /**
   * Makes the message a dead letter.
   *
   * @param history the reason and the earlier failures, encoded by the client
   */
  record Bury(String id, long token, byte[] history) implements Settlement {}

  /**
   * Sets the end of the lease to {@code leaseMillis} after the store's current time. Also extends
   * an expired lease, unless the message was claimed again. The outcome {@link
   * SettleOutcome#CANCELLED} reports an extended lease of a cancelled message.
   */
  record Extend(String id, long token, long leaseMillis) implements Settlement {}

  /**
   * Ends the lease, and returns the message to the queue. The attempt does not count, and the
   * history stays.
   *
   * @param due the new due time, or null for the old due time
   */
  record Release(String id, long token, @Nullable DueTime due) implements Settlement {}

  /**
   * Ends the processing of the message and schedules it once more: the message waits again under
   * its id, with no attempts and no history. A repeat takes effect even if the store is full,
   * because it replaces the message; only a content that is too large for the store is refused.
   *
   * @param content the new content, or null for the old content
   */
  record Repeat(String id, long token, DueTime due, @Nullable Content content)
      implements Settlement {}
}
