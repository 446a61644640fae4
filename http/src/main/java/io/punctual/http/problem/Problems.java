package io.punctual.http.problem;

import io.punctual.BatchException;
import io.punctual.http.text.BadInputException;
import io.punctual.http.text.TooLargeInputException;
import io.punctual.view.Outcome;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The problem of each exception. */
public final class Problems {
  private static final Logger LOG = LoggerFactory.getLogger("io.punctual.http");

  private Problems() {}

  /** Returns the problem of a failure; logs a failure that nobody expects. */
  public static Problem of(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (cause instanceof ProblemException known) {
      return known.problem();
    }
    if (cause instanceof TooLargeInputException) {
      return Problem.of(Outcome.TOO_LARGE, String.valueOf(cause.getMessage()));
    }
    if (cause instanceof BadInputException) {
      return Problem.of(Outcome.INVALID, String.valueOf(cause.getMessage()));
    }
    if (cause instanceof BatchException) {
      return Problem.of(Outcome.IN_DOUBT, String.valueOf(cause.getMessage()));
    }
    Problem problem = Problem.of(cause);
    if (problem.outcome() == Outcome.INTERNAL) {
      LOG.error("A request failed for an unexpected reason; please report it", cause);
      return Problem.of(Outcome.INTERNAL, "The log of the server has the reason");
    }
    return problem;
  }

  /** Returns an exception for a request that is wrong. */
  public static ProblemException invalid(String detail) {
    return Problem.of(Outcome.INVALID, detail).exception();
  }

  /** Returns an exception for something that is not there. */
  public static ProblemException notFound(String detail) {
    return Problem.of(Outcome.NOT_FOUND, detail).exception();
  }

  /**
   * Returns a stage that comes after a change. If it fails, its problem says that the change is
   * done, and not what a request would say that could do nothing.
   */
  public static <T> CompletionStage<T> ofDone(CompletionStage<T> after, String detail) {
    return after.exceptionally(
        failure -> {
          LOG.info("{}: {}", detail, failure.toString());
          throw Problem.of(Outcome.NOT_CONFIRMED, detail).exception();
        });
  }

  /** Returns the problem of a change that may have been done. */
  public static Problem inDoubt(String detail) {
    return Problem.of(Outcome.IN_DOUBT, detail);
  }
}
