package io.punctual.kit.history;

import io.punctual.CancelOutcome;
import io.punctual.IfPresent;
import io.punctual.RescheduleOutcome;
import io.punctual.ScheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.deadletter.DeadLetterOutcome;
import org.jspecify.annotations.Nullable;

/**
 * An action or observation of a process. Immutable.
 *
 * <p>A change is recorded twice: before the call, and when its answer arrives. Both events have the
 * same {@code op}, a number that is unique within the process. An invocation without an answer may
 * or may not have been applied, unless {@link Failed} excludes it.
 */
public sealed interface HistoryEvent {
  /** Stands for an unknown engine time. Engine times are readings of the clock of the store. */
  long NO_TIME = Long.MIN_VALUE;

  /**
   * Returns the time of the event, in nanoseconds of a monotonic clock that all processes of the
   * run share; see {@link Recording}.
   */
  long at();

  /** The start of an action that may change messages or the queue. */
  sealed interface Invocation extends HistoryEvent {
    /** Returns the number of the invocation; its answer has the same number. */
    long op();

    /** Returns the queue of the action. */
    String queue();
  }

  /** The end of an invocation. */
  sealed interface Answer extends HistoryEvent {
    /** Returns the number of the invocation. */
    long op();
  }

  /** Whether a failed action may have had an effect. */
  enum Doubt {
    /** The action was not applied, and never will be. */
    NOT_DONE,
    /** The action may have been applied, or may still be applied later. */
    UNKNOWN
  }

  /** The kind of a settlement. */
  enum SettlementKind {
    /** Removes the message. */
    ACK,
    /** Gives the message a new due time, after a failed attempt. */
    RETRY,
    /** Makes the message a dead letter. */
    BURY,
    /** Extends the lease. */
    EXTEND,
    /** Gives the message back; the attempt does not count. */
    RELEASE,
    /** Gives the message back with a new due time; the attempt does not count. */
    DEFER,
    /** Ends the message and schedules it once more, without its attempts and history. */
    REPEAT
  }

  /** The first event of each process; contains the name of the process. */
  record ProcessBegan(long at, String process) implements HistoryEvent {}

  /**
   * A client is about to schedule a message.
   *
   * @param thread the caller's thread; calls of the same thread take effect in order
   * @param id null if the client will generate it
   * @param isDelay true if {@code millis} is a delay, false if it is an instant of engine time
   */
  record ScheduleInvoked(
      long at,
      long op,
      long thread,
      String queue,
      @Nullable String id,
      IfPresent mode,
      boolean isDelay,
      long millis)
      implements Invocation {}

  /**
   * A schedule was answered. {@code dueMillis} is the due time of the message that is now stored
   * under the id, or the time until which the id is remembered.
   */
  record ScheduleAnswered(
      long at,
      long op,
      String id,
      ScheduleOutcome outcome,
      long dueMillis,
      @Nullable State previous)
      implements Answer {}

  /** A client is about to cancel a message. */
  record CancelInvoked(long at, long op, long thread, String queue, String id)
      implements Invocation {}

  /** A cancel was answered. */
  record CancelAnswered(long at, long op, CancelOutcome outcome) implements Answer {}

  /** A client is about to reschedule a message. */
  record RescheduleInvoked(
      long at, long op, long thread, String queue, String id, boolean isDelay, long millis)
      implements Invocation {}

  /** A client is about to request that a message run now. */
  record RunNowInvoked(long at, long op, long thread, String queue, String id)
      implements Invocation {}

  /** A reschedule, or a request to run now, was answered. */
  record RescheduleAnswered(long at, long op, RescheduleOutcome outcome) implements Answer {}

  /** A client is about to redrive a dead letter. */
  record RedriveInvoked(long at, long op, long thread, String queue, String id)
      implements Invocation {}

  /** A client is about to delete a dead letter. */
  record DeleteDeadInvoked(long at, long op, long thread, String queue, String id)
      implements Invocation {}

  /** A redrive or deletion of a dead letter was answered. */
  record DeadLetterAnswered(long at, long op, DeadLetterOutcome outcome) implements Answer {}

  /** A client is about to redrive dead letters of a queue: all, or those that match a filter. */
  record RedriveAllInvoked(long at, long op, long thread, String queue) implements Invocation {}

  /**
   * A client is about to purge a queue, or to delete dead letters by a filter or a retention;
   * {@code states} are the names of the states, separated by commas.
   */
  record PurgeInvoked(long at, long op, long thread, String queue, String states)
      implements Invocation {}

  /** A client is about to pause or resume a queue. */
  record PauseInvoked(long at, long op, long thread, String queue, boolean paused)
      implements Invocation {}

  /** A change of a whole queue was answered. */
  record QueueAnswered(long at, long op, long count) implements Answer {}

  /** A claim is about to be sent for the first time. */
  record ClaimInvoked(
      long at, long op, String queue, int limit, long leaseMillis, boolean atMostOnce)
      implements Invocation {}

  /**
   * A message in the answer to a claim. Precedes the {@link ClaimAnswered}.
   *
   * @param engineMicros the engine's time at the claim, or {@link #NO_TIME} if the store may have
   *     repeated an earlier answer
   * @param leasedUntilMillis the end of the lease, or {@link #NO_TIME} in the same case
   * @param taken whether the claim removed the message, to deliver it at most once
   */
  record Claimed(
      long at,
      long op,
      String queue,
      String id,
      long token,
      int attempt,
      long dueMillis,
      long engineMicros,
      long leasedUntilMillis,
      boolean taken)
      implements HistoryEvent {}

  /** A claim was answered. */
  record ClaimAnswered(long at, long op, long engineMicros) implements Answer {}

  /**
   * A settlement is about to be sent for the first time.
   *
   * @param isDelay whether {@code millis} is a delay; false only for a due time that is an instant
   * @param millis the due time of a retry, a deferral or a repeat, the duration of an extension, or
   *     the time for which the store remembers the id after an ack; otherwise 0
   */
  record SettlementInvoked(
      long at,
      long op,
      String queue,
      String id,
      long token,
      SettlementKind kind,
      boolean isDelay,
      long millis)
      implements Invocation {}

  /** A settlement was answered. */
  record SettlementAnswered(long at, long op, SettleOutcome outcome, long engineMicros)
      implements Answer {}

  /** A claim or a settlement is about to be sent again, with the same number. */
  record SentAgain(long at, long op) implements HistoryEvent {}

  /**
   * A call failed. It may be sent again, and be answered later.
   *
   * @param id the generated id if it became known only now, otherwise null
   */
  record Failed(long at, long op, Doubt doubt, @Nullable String id, String why)
      implements HistoryEvent {}

  /**
   * A message is about to be passed to a handler, or was returned by a manual claim.
   *
   * @param lost whether the delivery reported a lost lease at this moment or shortly after
   */
  record HandedOver(
      long at,
      String queue,
      String id,
      long token,
      int attempt,
      long dueMillis,
      long latenessMicros,
      boolean lost)
      implements HistoryEvent {}

  /**
   * A handler has returned or thrown.
   *
   * @param failed whether the handler threw an exception
   * @param settled whether the delivery was settled before
   * @param lost whether the delivery reported a lost lease at this moment or shortly after
   */
  record HandlerReturned(
      long at, String queue, String id, long token, boolean failed, boolean settled, boolean lost)
      implements HistoryEvent {}

  /** A process learned that it lost a lease. */
  record LeaseLostSeen(long at, String queue, String id, int attempt) implements HistoryEvent {}

  /** A call of a process to the store failed. */
  record StoreTroubleSeen(long at, String queue, String why) implements HistoryEvent {}

  /** A complete inventory of a queue begins. No other action runs during the inventory. */
  record InventoryBegan(long at, String queue) implements HistoryEvent {}

  /** The inventory found this message. */
  record Found(long at, String queue, String id, State state, long dueMillis, int attempts)
      implements HistoryEvent {}

  /** The complete inventory of a queue has ended. */
  record InventoryEnded(long at, String queue) implements HistoryEvent {}
}
