package io.punctual;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Some changes of a batch were done, and others were not, or may have been done or not. {@link
 * #outcomes} has the outcome of each. If the changes of a batch all end in the same way, the call
 * throws the exception of a single change instead, for example a {@link StoreUnavailableException}
 * if none was done.
 */
public final class BatchException extends PunctualException {
  private static final long serialVersionUID = 1L;

  private final transient @Nullable List<Outcome> outcomes;

  /** Whether a change was done. */
  public enum Status {
    /** The change was done; {@link Outcome#result} has its result. */
    DONE,
    /** The change was certainly not done, so that it can be repeated. */
    NOT_DONE,
    /** The change may have been done or not. */
    UNKNOWN
  }

  /**
   * The outcome of a change.
   *
   * @param id the id of the message, also a generated id
   * @param result the result of a change that was done: a {@link Scheduled}, a {@link
   *     CancelOutcome} or a {@link SettleOutcome}; empty for other changes, and for a change whose
   *     durability was not confirmed
   * @param failure the exception of a single change with this outcome, if the change failed
   */
  public record Outcome(
      String id, Status status, Optional<Object> result, Optional<RuntimeException> failure) {}

  /**
   * Creates an exception whose message has the number of changes for each status.
   *
   * @param what the batch, as the subject of the message
   * @param outcomes the outcomes in the order of the changes
   * @param reason a sentence with the reason after a space, or an empty text
   */
  public BatchException(
      String what, List<Outcome> outcomes, String reason, @Nullable Throwable cause) {
    super(
        what
            + " ended early: "
            + count(outcomes, Status.DONE)
            + " done, "
            + count(outcomes, Status.NOT_DONE)
            + " not done, "
            + count(outcomes, Status.UNKNOWN)
            + " unknown; outcomes() has the outcome of each."
            + reason,
        cause);
    this.outcomes = List.copyOf(outcomes);
  }

  private static long count(List<Outcome> outcomes, Status status) {
    return outcomes.stream().filter(outcome -> outcome.status() == status).count();
  }

  /**
   * Returns an outcome for each change of the batch, in the same order. Empty if this exception was
   * serialized.
   */
  public List<Outcome> outcomes() {
    return outcomes == null ? List.of() : outcomes;
  }

  /** Returns the number of changes with this status. */
  public long count(Status status) {
    return count(outcomes(), status);
  }
}
