package io.punctual.benchmarks;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;

/**
 * The progress of a run, on standard error: a changing line on a terminal, otherwise a line for
 * each trial. The remaining time is the sum of the estimates of the remaining trials, corrected by
 * the accuracy of the estimates so far.
 */
final class Progress {
  private static final int BAR = 24;

  private final PrintStream out;
  private final boolean terminal;
  private final long total;
  private final long start = System.nanoTime();
  private long expected;

  Progress(PrintStream out, boolean terminal, Duration total) {
    this.out = out;
    this.terminal = terminal;
    this.total = Math.max(1, total.toMillis());
  }

  void begin(int round, int rounds, Trial trial) {
    int done = (int) (BAR * expected / total);
    String line =
        String.format(
            Locale.ROOT,
            "[%s%s] round %d/%d, %s left: %s, %s",
            "#".repeat(done),
            ".".repeat(BAR - done),
            round,
            rounds,
            left(),
            trial.title(),
            trial.contender());
    out.print(terminal ? "\r" + line + "\033[K" : line + System.lineSeparator());
    out.flush();
  }

  void end(Trial trial) {
    expected = Math.min(total, expected + trial.expected().toMillis());
  }

  void finish() {
    out.print(terminal ? "\r\033[K" : "");
    out.flush();
  }

  private String left() {
    double pace = expected == 0 ? 1 : (System.nanoTime() - start) / 1e6 / expected;
    long seconds = Math.round((total - expected) * pace / 1000);
    return String.format(Locale.ROOT, "%d:%02d", seconds / 60, seconds % 60);
  }
}
