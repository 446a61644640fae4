package io.punctual.benchmarks;

import java.util.List;

/**
 * All that a run has to tell.
 *
 * @param quick whether it was run for soundness only
 * @param machine what it ran on, for people
 * @param versions what was measured
 * @param leftOut contenders that were not there, and how to bring them in
 * @param failures trials that ended with an exception
 */
public record Report(
    String subject,
    boolean quick,
    int rounds,
    String machine,
    List<String> versions,
    List<String> leftOut,
    List<Failure> failures,
    List<Result> results) {
  /**
   * Returns whether Punctual ran, lost nothing and had nothing early. How fast it was does not
   * matter here, nor what its peers did.
   */
  public boolean isSound() {
    return results.stream().anyMatch(result -> isOurs(result.contender()))
        && failures.stream().noneMatch(failure -> isOurs(failure.trial().contender()))
        && results.stream()
            .filter(result -> isOurs(result.contender()))
            .map(Result::tally)
            .allMatch(tally -> tally == null || tally.lost() + tally.early() == 0);
  }

  private static boolean isOurs(String contender) {
    return contender.startsWith("Punctual");
  }
}
