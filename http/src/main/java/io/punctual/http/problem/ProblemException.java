package io.punctual.http.problem;

/** Ends a request with a problem. */
public final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Problem problem;

  /** Creates an exception without a stack trace, because it is an answer. */
  public ProblemException(Problem problem) {
    super(problem.view().detail(), null, false, false);
    this.problem = problem;
  }

  /** Returns the problem. */
  public Problem problem() {
    return problem;
  }
}
