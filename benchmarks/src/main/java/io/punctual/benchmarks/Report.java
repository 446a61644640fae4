package io.punctual.benchmarks;

import java.util.List;

/**
 * The results of a run, complete or so far.
 *
 * @param quick whether the run only checks correctness
 * @param machine a readable description of the machine
 * @param versions the versions of the peers, the servers and the JDK
 * @param leftOut the missing contenders and servers, and how to install them
 * @param failures trials that ended with an exception
 * @param pictured the contenders that the report's first picture compares
 */
public record Report(
    String subject,
    boolean quick,
    int rounds,
    String machine,
    List<String> versions,
    List<String> leftOut,
    List<TrialFailure> failures,
    List<String> pictured,
    List<Result> results) {
  /**
   * Returns whether Punctual ran, lost no message and delivered no message early. Speed and the
   * results of peers do not matter.
   */
  public boolean isSound() {
    return results.stream().anyMatch(result -> isOurs(result.contender()))
        && failures.stream().noneMatch(failure -> isOurs(failure.trial().contender()))
        && results.stream()
            .filter(result -> isOurs(result.contender()))
            .map(Result::tally)
            .allMatch(tally -> tally == null || tally.lost() + tally.early() == 0);
  }

  /** Returns whether a contender is Punctual. */
  public static boolean isOurs(String contender) {
    return contender.startsWith("Punctual");
  }
}
