package io.punctual.harness.history;

import io.punctual.CancelOutcome;
import io.punctual.DeadLetterOutcome;
import io.punctual.IfPresent;
import io.punctual.RescheduleOutcome;
import io.punctual.ScheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.State;
import org.jspecify.annotations.Nullable;

/**
 * An action or observation of a process. Immutable.
 *
 * <p>A change is recorded twice: before the call, and when its answer arrives. Both events have the
 * same {@code op}, a number that is unique within the process. An invocation without an answer may
 * or may not have been applied.
 */
public sealed interface HistoryEvent {
  /** The engine time of an answer that did not contain it. */
  long NO_TIME = Long.MIN_VALUE;

  /**
   * Returns when, in nanoseconds of a monotonic clock that all processes of the run share; see
   * {@link Recording}.
   */
  long at();

  /** The beginning of something that may change a message, or many. */
  sealed interface Invocation extends HistoryEvent {
    /** Returns the number that the answer will carry too. */
    long op();

    /** Returns the queue that it is about. */
    String queue();
  }

  /** The end of an invocation. */
  sealed interface Answer extends HistoryEvent {
    /** Returns the number of the invocation. */
    long op();
  }

  /** How certain it is that something that failed was not done. */
  enum Doubt {
    /** It was not carried out, and never will be. */
    NOT_DONE,
    /** It may have been carried out, or may yet be. */
    UNKNOWN
  }

  /** The kind of a settlement. */
  enum SettlementKind {
    /** Removes the message. */
    ACK,
    /** Sends it back until later. */
    RETRY,
    /** Makes it a dead letter. */
    BURY,
    /** Holds it longer. */
    EXTEND,
    /** Gives it back, attempt not counted. */
    RELEASE,
    /** Gives it back until later, attempt not counted. */
    DEFER,
    /** Ends it and schedules it once more, attempts and history forgotten. */
    REPEAT
  }

  /** The first event of each process, which names it. */
  record ProcessBegan(long at, String process) implements HistoryEvent {}

  /**
   * A schedule is about to be called.
   *
   * @param thread the caller's thread; calls of the same thread take effect in order
   * @param id null if the client will generate it
   * @param isDelay whether {@code millis} is a delay, or an instant of engine time
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

  /** A schedule was answered; {@code dueMillis} is that of the message that has the id now. */
  record ScheduleAnswered(
      long at,
      long op,
      String id,
      ScheduleOutcome outcome,
      long dueMillis,
      @Nullable State previous)
      implements Answer {}

  /** A cancel is about to be asked for. */
  record CancelInvoked(long at, long op, long thread, String queue, String id)
      implements Invocation {}

  /** A cancel was answered. */
  record CancelAnswered(long at, long op, CancelOutcome outcome) implements Answer {}

  /** A reschedule is about to be asked for. */
  record RescheduleInvoked(
      long at, long op, long thread, String queue, String id, boolean isDelay, long millis)
      implements Invocation {}

  /** A request to run a message now is about to be made. */
  record RunNowInvoked(long at, long op, long thread, String queue, String id)
      implements Invocation {}

  /** A reschedule, or a request to run now, was answered. */
  record RescheduleAnswered(long at, long op, RescheduleOutcome outcome) implements Answer {}

  /** A redrive of a dead letter is about to be called. */
  record RedriveInvoked(long at, long op, long thread, String queue, String id)
      implements Invocation {}

  /** A deletion of a dead letter is about to be called. */
  record DeleteDeadInvoked(long at, long op, long thread, String queue, String id)
      implements Invocation {}

  /** A redrive or deletion of a dead letter was answered. */
  record DeadLetterAnswered(long at, long op, DeadLetterOutcome outcome) implements Answer {}

  /** A redrive of all dead letters is about to be asked for. */
  record RedriveAllInvoked(long at, long op, long thread, String queue) implements Invocation {}

  /** A purge is about to be asked for; {@code states} are their names, with commas. */
  record PurgeInvoked(long at, long op, long thread, String queue, String states)
      implements Invocation {}

  /** A pause or resume is about to be asked for. */
  record PauseInvoked(long at, long op, long thread, String queue, boolean paused)
      implements Invocation {}

  /** Something about a whole queue was done. */
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
   * @param leasedUntilMillis the end of the lease, or {@link #NO_TIME}
   * @param cancelled whether the claim cancelled the message, to deliver it at most once
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
      boolean cancelled)
      implements HistoryEvent {}

  /** A claim was answered. */
  record ClaimAnswered(long at, long op, long engineMicros) implements Answer {}

  /**
   * A settlement is about to be sent for the first time.
   *
   * @param isDelay whether {@code millis} is a delay; always for an extension
   * @param millis when a retry, a deferral or a repeat is due, or how long an extension lasts;
   *     otherwise 0
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

  /** Something is about to be sent once more, under the same number. */
  record SentAgain(long at, long op) implements HistoryEvent {}

  /**
   * A call failed. It may be sent again, and be answered later.
   *
   * @param id the generated id, if it became known only now
   */
  record Failed(long at, long op, Doubt doubt, @Nullable String id, String why)
      implements HistoryEvent {}

  /**
   * A message is about to be passed to a handler, or was returned by a manual claim.
   *
   * @param lost whether the delivery reported, at this moment or shortly after, that its lease is
   *     lost
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
   * A handler is done with a message.
   *
   * @param failed whether it threw
   * @param settled whether the delivery was settled before
   * @param lost whether the delivery reported, at this moment or shortly after, that its lease is
   *     lost
   */
  record HandlerReturned(
      long at, String queue, String id, long token, boolean failed, boolean settled, boolean lost)
      implements HistoryEvent {}

  /** A process learnt that it lost a lease. */
  record LeaseLostSeen(long at, String queue, String id, int attempt) implements HistoryEvent {}

  /** A process had trouble with the store. */
  record StoreTroubleSeen(long at, String queue, String why) implements HistoryEvent {}

  /** A complete inventory of a queue begins; no other action runs meanwhile. */
  record InventoryBegan(long at, String queue) implements HistoryEvent {}

  /** The queue holds this message. */
  record Found(long at, String queue, String id, State state, long dueMillis, int attempts)
      implements HistoryEvent {}

  /** The complete inventory of a queue has ended. */
  record InventoryEnded(long at, String queue) implements HistoryEvent {}
}
