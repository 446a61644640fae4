package io.punctual.lock.internal.attempt;

/** Reads and changes the cohorts of a client for tests. */
public final class CohortProbe {
  private CohortProbe() {}

  public static int count(Attempts attempts) {
    return attempts.cohorts().size();
  }

  /** Records a failed request for the mutex of this name, as if its cohort's leader had sent it. */
  public static void fail(Attempts attempts, String name, Throwable failure) {
    Cohort cohort = attempts.cohorts().expect(name);
    cohort.failures().failed(failure, attempts.client().nanoTime());
  }
}
