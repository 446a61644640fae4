package io.punctual.internal.claim;

import io.punctual.ClientBusyException;
import io.punctual.Due;
import io.punctual.IfPresent;
import io.punctual.MessageBusyException;
import io.punctual.NotConfirmedException;
import io.punctual.ScheduleOutcome;
import io.punctual.StoreFullException;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.event.Event;
import io.punctual.internal.delivery.Occurrence;
import io.punctual.internal.delivery.Settling;
import io.punctual.internal.message.FailureLog;
import io.punctual.internal.session.OutcomeCallback;
import io.punctual.internal.session.PartitionSession;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Schedules the messages of an at-most-once claim again if no caller received them. A release can't
 * return these messages: the claim has cancelled them, and the store discards a cancelled message
 * at its release. The new schedule keeps the id, payload and due time, and has no effect if the id
 * was scheduled meanwhile. The attempts restart at zero, and the failures are cleared. Also
 * schedules the next occurrences of recurring messages that callers have received, because the
 * store discards a cancelled message at a repeat, too. Immutable.
 */
record PutBack(Settling settling) {
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

  /**
   * Puts messages back; completes when the store has the messages, or when the client has given up.
   */
  CompletableFuture<?> all(List<Reply.Leased> messages, PartitionSession session) {
    if (messages.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    return submit(messages.stream().map(each -> back(each, session)).toList(), session);
  }

  /** A recurring message that a caller has received, and its next occurrence. */
  record Next(Reply.Leased message, Occurrence occurrence, Instant due) {}

  /** Schedules the next occurrences of messages that callers have received. */
  void next(List<Next> messages, PartitionSession session) {
    if (!messages.isEmpty()) {
      CompletableFuture<?> unused =
          submit(messages.stream().map(each -> next(each, session)).toList(), session);
    }
  }

  private Attempt back(Reply.Leased message, PartitionSession session) {
    FailureLog failures = FailureLog.of(message.history());
    Occurrence occurrence = Occurrence.of(message, failures, settling.env().recurrences());
    Operation.Schedule schedule =
        new Operation.Schedule(
            message.id(),
            new DueTime(false, message.dueMillis()),
            IfPresent.KEEP,
            occurrence != null && occurrence.isRecorded()
                ? occurrence.recorded()
                : message.content());
    Event released =
        new Event.MessageReleased(settling.queue(), message.id(), message.attempt(), null);
    return new Attempt(schedule, released, false, session);
  }

  private Attempt next(Next next, PartitionSession session) {
    Reply.Leased message = next.message();
    Due due = Due.at(next.due());
    Operation.Schedule schedule =
        new Operation.Schedule(
            message.id(), DueTime.of(due), IfPresent.KEEP, next.occurrence().ofNext());
    Event repeated =
        new Event.MessageRepeated(settling.queue(), message.id(), message.attempt(), due);
    return new Attempt(schedule, repeated, true, session);
  }

  private static CompletableFuture<?> submit(List<Attempt> attempts, PartitionSession session) {
    session.submit(
        attempts.stream().map(Attempt::operation).toList(),
        null,
        attempts.stream().map(Attempt::callback).toList());
    return CompletableFuture.allOf(
        attempts.stream().map(each -> each.end).toArray(CompletableFuture<?>[]::new));
  }

  /** Returns whether the store has certainly not executed a failed schedule. */
  private static boolean isCertainlyNotDone(Throwable failure) {
    return failure instanceof StoreUnavailableException
        || failure instanceof StoreFullException
        || failure instanceof StoreRefusedException
        || failure instanceof ClientBusyException
        || failure instanceof MessageBusyException;
  }

  private final class Attempt {
    private final Operation.Schedule operation;
    private final Event done;
    private final boolean isNext;
    private final PartitionSession session;
    private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();

    /**
     * Creates the attempt. {@code isNext} is true if a caller has received the message, and the
     * operation schedules its next occurrence.
     */
    Attempt(Operation.Schedule operation, Event done, boolean isNext, PartitionSession session) {
      this.operation = operation;
      this.done = done;
      this.isNext = isNext;
      this.session = session;
    }

    Operation operation() {
      return operation;
    }

    OutcomeCallback<ScheduleOutcome> callback() {
      OutcomeCallback<ScheduleOutcome> callback =
          new OutcomeCallback<>(
              outcome -> OutcomeCallback.as(Outcome.OfSchedule.class, outcome).outcome());
      CompletableFuture<?> unused =
          callback.whenComplete((outcome, failure) -> ended(outcome, failure));
      return callback;
    }

    private void ended(@Nullable ScheduleOutcome outcome, @Nullable Throwable failure) {
      if (failure != null && isCertainlyNotDone(failure)) {
        later(failure);
        return;
      }
      if (failure != null && !(failure instanceof NotConfirmedException)) {
        lost(failure);
      } else if (outcome != ScheduleOutcome.KEPT) {
        settling.env().events().publish(() -> done);
      }
      end.complete(null);
    }

    private void later(Throwable failure) {
      try {
        settling.env().timer().schedule(AFTER_FAILURE, this::again);
        if (isNext) {
          settling.log().nextDelayed(operation.id(), AFTER_FAILURE, failure);
        } else {
          settling.log().putBackDelayed(operation.id(), AFTER_FAILURE, failure);
        }
      } catch (RejectedExecutionException timerClosed) {
        lost(failure);
        end.complete(null);
      }
    }

    private void lost(Throwable failure) {
      if (isNext) {
        settling.log().nextNotScheduled(operation.id(), failure);
      } else {
        settling.log().notPutBack(operation.id(), failure);
      }
    }

    private void again() {
      session.submit(operation, null, callback());
    }
  }
}
