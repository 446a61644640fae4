package io.punctual.lock.internal.attempt;

/** Reads and changes the cohorts of a client for tests. */
public final class CohortProbe {
  private CohortProbe() {}

  /** Returns the number of cohorts. */
  public static int count(Attempts attempts) {
    return attempts.cohorts().size();
  }

  /** Records a failed request of the leader of the mutex of this name. */
  public static void fail(Attempts attempts, String name, Throwable failure) {
    Cohort cohort = attempts.cohorts().expect(name);
    cohort.failures().failed(failure, attempts.client().nanoTime());
  }
}
