package io.punctual.internal.claim;

import io.punctual.ClientClosedException;
import io.punctual.Due;
import io.punctual.IfPresent;
import io.punctual.NotConfirmedException;
import io.punctual.NotDoneException;
import io.punctual.ScheduleOutcome;
import io.punctual.event.Event;
import io.punctual.internal.delivery.ClaimLease;
import io.punctual.internal.delivery.Occurrence;
import io.punctual.internal.delivery.SettlementContext;
import io.punctual.internal.message.RememberHeader;
import io.punctual.internal.runtime.HandlerLog;
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
 * Restores the messages of an at-most-once claim, which the claim has removed, if no caller
 * received them. A message comes back as it was, without this delivery, unless its id was scheduled
 * meanwhile. Also schedules the next occurrences of messages that callers have received, and
 * remembers their ids. Immutable.
 */
record PutBack(SettlementContext settling) {
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

  /**
   * Remembers the ids of messages that callers have received.
   *
   * @param nowNanos the time from which the ids are remembered, on the timer's clock
   */
  void remember(List<Reply.Leased> messages, ClaimLease lease, long nowNanos) {
    if (!messages.isEmpty()) {
      long now = lease.engineMillis(nowNanos) + 1;
      CompletableFuture<?> unused =
          submit(
              messages.stream().map(each -> remember(each, now, lease.session())).toList(),
              lease.session());
    }
  }

  private Attempt remember(Reply.Leased message, long nowMillis, PartitionSession session) {
    long until = nowMillis + RememberHeader.millis(message.content().headers());
    return new Attempt(
        new Operation.Remember(message.id(), until), acked(message), Purpose.MEMORY, session);
  }

  /** Returns the event of the end of a message that a caller has received. */
  Event acked(Reply.Leased message) {
    return new Event.MessageAcked(settling.queue(), message.id(), message.attempt());
  }

  private Attempt back(Reply.Leased message, PartitionSession session) {
    int attempts = message.attempt() - 1;
    Operation restore =
        new Operation.Restore(
            message.id(),
            message.dueMillis(),
            attempts,
            attempts == 0 ? new byte[0] : message.history(),
            0,
            message.content());
    Event released =
        new Event.MessageReleased(settling.queue(), message.id(), message.attempt(), null);
    return new Attempt(restore, released, Purpose.BACK, session);
  }

  private Attempt next(Next next, PartitionSession session) {
    Reply.Leased message = next.message();
    Due due = Due.at(next.due());
    Operation.Schedule schedule =
        new Operation.Schedule(
            message.id(), DueTime.of(due), IfPresent.KEEP, next.occurrence().ofNext());
    Event repeated =
        new Event.MessageRepeated(settling.queue(), message.id(), message.attempt(), due);
    return new Attempt(schedule, repeated, Purpose.NEXT, session);
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
    return failure instanceof NotDoneException && !(failure instanceof ClientClosedException);
  }

  private enum Purpose {
    /** Restores a message that no caller has received. */
    BACK,
    /** Schedules the next occurrence of a message that a caller has received. */
    NEXT,
    /** Remembers the id of a message that a caller has received. */
    MEMORY
  }

  private final class Attempt implements Runnable {
    private final Operation operation;
    private final Event done;
    private final Purpose purpose;
    private final PartitionSession session;
    private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();

    Attempt(Operation operation, Event done, Purpose purpose, PartitionSession session) {
      this.operation = operation;
      this.done = done;
      this.purpose = purpose;
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
      boolean goesOn = false;
      try {
        if (failure != null && isCertainlyNotDone(failure)) {
          settling.env().timer().schedule(AFTER_FAILURE, this);
          goesOn = true;
          delayed(failure);
        } else if (failure != null && !(failure instanceof NotConfirmedException)) {
          lost(failure);
        } else if (outcome != ScheduleOutcome.KEPT && outcome != ScheduleOutcome.REJECTED) {
          settling.env().events().publish(() -> done);
        }
      } catch (RejectedExecutionException | Error e) {
        if (!goesOn) {
          lost(failure == null ? e : failure);
        }
      } finally {
        if (!goesOn) {
          end.complete(null);
        }
      }
    }

    private void delayed(Throwable failure) {
      HandlerLog log = settling.log();
      switch (purpose) {
        case BACK -> log.putBackDelayed(operation.id(), AFTER_FAILURE, failure);
        case NEXT -> log.nextDelayed(operation.id(), AFTER_FAILURE, failure);
        case MEMORY -> log.memoryDelayed(operation.id(), AFTER_FAILURE, failure);
      }
    }

    private void lost(Throwable failure) {
      switch (purpose) {
        case BACK -> settling.log().notPutBack(operation.id(), failure);
        case NEXT -> settling.log().nextNotScheduled(operation.id(), failure);
        case MEMORY -> settling.log().notRemembered(operation.id(), failure);
      }
    }

    /** Submits the operation again. */
    @Override
    public void run() {
      session.submit(operation, null, callback());
    }
  }
}
