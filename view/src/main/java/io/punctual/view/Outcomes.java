package io.punctual.view;

import io.punctual.BatchException;
import io.punctual.CancelOutcome;
import io.punctual.ClientBusyException;
import io.punctual.ClientClosedException;
import io.punctual.DeleteQueueOutcome;
import io.punctual.LeaseLostException;
import io.punctual.LockedByTransactionException;
import io.punctual.NotConfirmedException;
import io.punctual.OutcomeUnknownException;
import io.punctual.RecurrenceException;
import io.punctual.RescheduleOutcome;
import io.punctual.ScheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.StoreFullException;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.UndecodableException;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.spi.Partition;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Which {@link Outcome} an outcome of the core and an exception have, for all who report them. */
public final class Outcomes {
  /** Causes can refer to each other in a cycle. */
  private static final int MOST_CAUSES = 20;

  private static final Map<Class<? extends RuntimeException>, Outcome> FAILURES = failures();

  private Outcomes() {}

  private static Map<Class<? extends RuntimeException>, Outcome> failures() {
    Map<Class<? extends RuntimeException>, Outcome> table = new LinkedHashMap<>();
    table.put(StoreUnavailableException.class, Outcome.UNAVAILABLE);
    table.put(OutcomeUnknownException.class, Outcome.IN_DOUBT);
    table.put(NotConfirmedException.class, Outcome.NOT_CONFIRMED);
    table.put(ClientBusyException.class, Outcome.BUSY);
    table.put(LockedByTransactionException.class, Outcome.LOCKED);
    table.put(StoreFullException.class, Outcome.FULL);
    table.put(StoreRefusedException.class, Outcome.REFUSED);
    table.put(ClientClosedException.class, Outcome.CLOSED);
    table.put(LeaseLostException.class, Outcome.LEASE_LOST);
    table.put(BatchException.class, Outcome.IN_DOUBT);
    table.put(UndecodableException.class, Outcome.UNREADABLE);
    table.put(RecurrenceException.class, Outcome.UNREADABLE);
    return table;
  }

  /** Returns the exceptions of Punctual that have a row. */
  static Set<Class<? extends RuntimeException>> known() {
    return FAILURES.keySet();
  }

  /** Returns the outcome of a schedule. */
  public static Outcome of(ScheduleOutcome outcome) {
    return switch (outcome) {
      case STORED -> Outcome.CREATED;
      case REPLACED -> Outcome.OK;
      case KEPT -> Outcome.KEPT;
      case REJECTED -> Outcome.EXISTS;
    };
  }

  /** Returns the outcome of a cancel. */
  public static Outcome of(CancelOutcome outcome) {
    return switch (outcome) {
      case CANCELLED -> Outcome.OK;
      case RUNNING -> Outcome.ACCEPTED;
      case DEAD -> Outcome.CONFLICT;
      case NOT_FOUND -> Outcome.NOT_FOUND;
    };
  }

  /** Returns the outcome of a reschedule. */
  public static Outcome of(RescheduleOutcome outcome) {
    return switch (outcome) {
      case RESCHEDULED -> Outcome.OK;
      case RUNNING, DEAD -> Outcome.CONFLICT;
      case NOT_FOUND -> Outcome.NOT_FOUND;
    };
  }

  /** Returns the outcome of a change of a dead letter. */
  public static Outcome of(DeadLetterOutcome outcome) {
    return switch (outcome) {
      case DONE -> Outcome.OK;
      case NOT_DEAD -> Outcome.CONFLICT;
      case NOT_FOUND -> Outcome.NOT_FOUND;
    };
  }

  /** Returns the outcome of a settlement. */
  public static Outcome of(SettleOutcome outcome) {
    return switch (outcome) {
      case DONE, CANCELLED, DISCARDED -> Outcome.OK;
      case LEASE_LOST -> Outcome.LEASE_LOST;
    };
  }

  /** Returns the outcome of the deletion of a queue. */
  public static Outcome of(DeleteQueueOutcome outcome) {
    return switch (outcome) {
      case DELETED -> Outcome.OK;
      case NOT_EMPTY -> Outcome.CONFLICT;
      case NOT_FOUND -> Outcome.NOT_FOUND;
    };
  }

  /**
   * Returns the outcome of a failure: of the first exception of Punctual among it and its causes,
   * or of a wrong argument, or {@link Outcome#INTERNAL}.
   */
  public static Outcome of(Throwable failure) {
    Throwable known = known(failure);
    return row(known)
        .orElse(
            known instanceof IllegalArgumentException
                ? Outcome.INVALID
                : known instanceof UnsupportedOperationException
                    ? Outcome.UNSUPPORTED
                    : Outcome.INTERNAL);
  }

  /**
   * Returns the exit code of the command line for a failure. A store that does not answer is told
   * also if it is the cause of another failure, and if a change may have been done.
   */
  public static int exitCode(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; cause != null && i < MOST_CAUSES; i++) {
      if (isUnanswered(cause)) {
        return Outcome.UNAVAILABLE.exitCode();
      }
      cause = cause.getCause();
    }
    return of(failure).exitCode();
  }

  /** Returns whether a store, to which a command may have spoken directly, gave no answer. */
  private static boolean isUnanswered(Throwable failure) {
    return failure instanceof StoreUnavailableException
        || ((failure instanceof OutcomeUnknownException
                || failure instanceof Partition.NotSentException)
            && !(failure.getCause() instanceof StoreRefusedException));
  }

  /** Returns the problem of a failure. */
  public static ProblemView problem(Throwable failure) {
    Throwable known = known(failure);
    ProblemView problem = ProblemView.of(of(failure), message(known));
    return id(known).map(problem::withId).orElse(problem);
  }

  /** Returns the exception that the outcome of a failure belongs to. */
  private static Throwable known(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; cause != null && i < MOST_CAUSES; i++) {
      if (row(cause).isPresent()) {
        return cause;
      }
      cause = cause.getCause();
    }
    return unwrapped(failure);
  }

  private static Throwable unwrapped(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException || failure instanceof ExecutionException
            ? failure.getCause()
            : null;
    return cause == null ? failure : cause;
  }

  private static Optional<Outcome> row(Throwable failure) {
    return FAILURES.entrySet().stream()
        .filter(row -> row.getKey().isInstance(failure))
        .map(Map.Entry::getValue)
        .findFirst();
  }

  private static String message(Throwable failure) {
    String message = failure.getMessage();
    return message == null || message.isBlank() ? failure.toString() : message;
  }

  private static Optional<String> id(Throwable failure) {
    if (failure instanceof OutcomeUnknownException unknown) {
      return unknown.id();
    }
    return failure instanceof NotConfirmedException done ? done.id() : Optional.empty();
  }
}
