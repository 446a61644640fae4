package io.punctual.internal.worker;

import io.punctual.ClientBusyException;
import io.punctual.IfPresent;
import io.punctual.MessageBusyException;
import io.punctual.NotConfirmedException;
import io.punctual.ScheduleOutcome;
import io.punctual.StoreFullException;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.event.Event;
import io.punctual.internal.session.OutcomeCallback;
import io.punctual.internal.session.PartitionSession;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Schedules the messages of an at-most-once claim again if no caller received them. A release can't
 * return these messages: the claim has cancelled them, and the store discards a cancelled message
 * at its release. The new schedule keeps the id, content and due time, and has no effect if the id
 * was scheduled meanwhile. The attempts restart at zero, and the failures are cleared. Immutable.
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
    List<Attempt> attempts = messages.stream().map(each -> new Attempt(each, session)).toList();
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
    private final Reply.Leased message;
    private final PartitionSession session;
    private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();

    Attempt(Reply.Leased message, PartitionSession session) {
      this.message = message;
      this.session = session;
    }

    Operation operation() {
      return new Operation.Schedule(
          message.id(), new DueTime(false, message.dueMillis()), IfPresent.KEEP, message.content());
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
        settling.log().notPutBack(message.id(), failure);
      } else if (outcome != ScheduleOutcome.KEPT) {
        settling
            .env()
            .events()
            .publish(
                () ->
                    new Event.MessageReleased(
                        settling.queue(), message.id(), message.attempt(), null));
      }
      end.complete(null);
    }

    private void later(Throwable failure) {
      try {
        settling.env().timer().schedule(AFTER_FAILURE, this::again);
        settling.log().putBackDelayed(message.id(), AFTER_FAILURE, failure);
      } catch (RejectedExecutionException timerClosed) {
        settling.log().notPutBack(message.id(), failure);
        end.complete(null);
      }
    }

    private void again() {
      session.submit(operation(), null, callback());
    }
  }
}
