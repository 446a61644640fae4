package io.punctual.kit.kill;

import io.punctual.kit.history.Breach;
import io.punctual.kit.history.History;
import io.punctual.kit.history.HistoryReport;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The result of a run. Each expectation fails with the report.
 *
 * @param report the result of the check of all histories
 * @param confirmed when the schedule of an id was confirmed, in {@link System#nanoTime}
 */
public record Verdict(HistoryReport report, Map<String, Long> confirmed) {
  private static final Duration FAIL_OVER = Duration.ofSeconds(5);

  /**
   * Expects that messages were delivered and none was early, which holds with every fault, and that
   * the checker could explain the history of each id.
   */
  static Verdict of(History history) {
    Verdict verdict = new Verdict(history.check(), history.confirmed());
    verdict.expect(verdict.report.delivered() > 0, "no message was delivered");
    verdict.expect(verdict.report.count(Breach.EARLY) == 0, "messages were early");
    verdict.expect(verdict.report.undecided().isEmpty(), "some histories are not explained");
    return verdict;
  }

  /** Expects that the histories show no broken promise. */
  public HistoryReport expectClean() {
    return expectClean(Set.of());
  }

  /** Like {@link #expectClean()}, with messages of these ids that a foreign program wrote. */
  public HistoryReport expectClean(Set<String> foreign) {
    expect(
        report.breaches().stream().allMatch(found -> foreign.contains(found.id())),
        "promises were broken");
    expect(report.buriedUnseen() == foreign.size(), "other messages were buried without a handler");
    return report;
  }

  /** Expects that no message is lost whose schedule was confirmed. */
  public HistoryReport expectConfirmedKept() {
    expect(lost().isEmpty(), "confirmed messages were lost");
    expect(report.buriedUnseen() == 0, "messages were buried without a handler");
    return report;
  }

  /**
   * Like {@link #expectConfirmedKept}; also expects that no message was delivered after its
   * confirmed ack or cancel.
   */
  public HistoryReport expectNothingLost() {
    expect(report.count(Breach.AFTER_ACK) == 0, "messages were delivered after an ack");
    expect(report.count(Breach.AFTER_CANCEL) == 0, "messages were delivered after a cancel");
    return expectConfirmedKept();
  }

  /** Returns when the lost messages were confirmed, in {@link System#nanoTime}. */
  public List<Long> lost() {
    return report.breaches().stream()
        .filter(found -> found.breach() == Breach.LOST)
        .map(found -> confirmed.get(found.id()))
        .filter(Objects::nonNull)
        .toList();
  }

  /** Prints how many of the confirmed messages were lost, and returns {@link #lost}. */
  public List<Long> printLost() {
    System.out.println(lost().size() + " of " + report.confirmed() + " confirmed were lost");
    return lost();
  }

  /**
   * Expects that every lost message was confirmed less than this time before the server was killed,
   * or later.
   *
   * @param killed when the server was killed, in {@link System#nanoTime}
   */
  public HistoryReport expectLostWithin(Duration window, long killed) {
    expect(
        printLost().stream().allMatch(at -> killed - at < window.toNanos()),
        "messages were lost that were confirmed long before the kill");
    return report;
  }

  /**
   * Expects that the longest time in which due messages waited without a delivery is at most the
   * time to detect a failed primary plus five seconds.
   */
  public Verdict expectShortSilence(Duration detection) {
    System.out.println("longest silence: " + report.longestSilence());
    expect(
        report.longestSilence().compareTo(detection.plus(FAIL_OVER)) <= 0,
        "due messages waited too long");
    return this;
  }

  private void expect(boolean holds, String breach) {
    if (!holds) {
      throw new AssertionError(breach + ": " + report);
    }
  }
}
