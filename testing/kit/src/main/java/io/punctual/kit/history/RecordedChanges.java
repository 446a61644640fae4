package io.punctual.kit.history;

import io.punctual.LockedByTransactionException;
import io.punctual.NotConfirmedException;
import io.punctual.NotDoneException;
import io.punctual.OutcomeUnknownException;
import io.punctual.kit.history.HistoryEvent.Doubt;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes changes, and records each change before the call and after the answer. Safe for use by many
 * threads.
 */
final class RecordedChanges {
  private final Recording recording;

  RecordedChanges(Recording recording) {
    this.recording = recording;
  }

  /** Creates the event of an answer from the number of the call and the value of the answer. */
  @FunctionalInterface
  interface Answered<R extends @Nullable Object> {
    HistoryEvent event(long op, R value);
  }

  <R> R blocking(LongFunction<HistoryEvent> invoked, Supplier<R> change, Answered<R> answered) {
    long op = begin(invoked);
    R value;
    try {
      value = change.get();
    } catch (RuntimeException | Error e) {
      failed(op, e);
      throw e;
    }
    recording.record(answered.event(op, value));
    return value;
  }

  <R extends @Nullable Object> CompletionStage<R> async(
      LongFunction<HistoryEvent> invoked,
      Supplier<CompletionStage<R>> change,
      Answered<R> answered) {
    long op = begin(invoked);
    CompletionStage<R> stage;
    try {
      stage = change.get();
    } catch (RuntimeException | Error e) {
      failed(op, e);
      throw e;
    }
    return stage.whenComplete(
        (value, failure) -> {
          if (failure == null) {
            recording.record(answered.event(op, value));
          } else {
            failed(op, failure);
          }
        });
  }

  private long begin(LongFunction<HistoryEvent> invoked) {
    long op = recording.nextOp();
    recording.record(invoked.apply(op));
    return op;
  }

  private void failed(long op, Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    recording.failed(op, doubt(cause), id(cause), cause);
  }

  private static Doubt doubt(Throwable cause) {
    boolean notDone =
        (cause instanceof NotDoneException && !(cause instanceof LockedByTransactionException))
            || cause instanceof IllegalArgumentException
            || cause instanceof UnsupportedOperationException;
    return notDone ? Doubt.NOT_DONE : Doubt.UNKNOWN;
  }

  private static @Nullable String id(Throwable cause) {
    if (cause instanceof NotConfirmedException stored) {
      return stored.id().orElse(null);
    }
    return cause instanceof OutcomeUnknownException unknown ? unknown.id().orElse(null) : null;
  }
}
