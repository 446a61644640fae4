package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.kit.history.HistoryReport;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/**
 * The lengths of faults, the number of messages, and the random choices of a test: the target and
 * the time of a fault. The system property {@code punctual.faults.minutes}, or {@code
 * punctual.faults.seconds}, sets the length, {@code punctual.faults.messages} the number of
 * messages, and {@code punctual.faults.seed} repeats the random choices. For a single thread.
 */
final class FaultPlan {
  private static final int MINUTES = Integer.getInteger("punctual.faults.minutes", 0);

  /** How long a fault lasts or is repeated. */
  static final Duration LENGTH =
      MINUTES > 0
          ? Duration.ofMinutes(MINUTES)
          : Duration.ofSeconds(Integer.getInteger("punctual.faults.seconds", 2));

  /** The number of messages: at least 50 for each second of the fault. */
  static final int MESSAGES =
      (int) Math.max(Integer.getInteger("punctual.faults.messages", 1000), 50 * LENGTH.toSeconds());

  /** How long to wait at most for the recovery after a fault. */
  static final Duration PATIENCE = Duration.ofSeconds(90);

  private static final Duration FAIL_OVER = Duration.ofSeconds(5);

  /** How far a healthy replica is behind its primary at most. */
  static final Duration REPLICA_LAG = Duration.ofSeconds(1);

  private final long seed;
  private final RandomGenerator random;

  /** Creates the plan of a test, and prints the seed that repeats its random choices. */
  FaultPlan(String test) {
    seed = Long.getLong("punctual.faults.seed", new Random().nextInt(1_000_000));
    random = new Random(seed);
    System.out.println(test + ": -Dpunctual.faults.seed=" + seed);
  }

  long seed() {
    return seed;
  }

  /** Returns a random element. */
  <T> T anyOf(List<T> choice) {
    return choice.get(random.nextInt(choice.size()));
  }

  /**
   * Waits for a random time: at least half of the given time, and at most one and a half times that
   * time.
   */
  void pause(Duration about) {
    during(Duration.ofNanos(random.nextLong(about.toNanos() / 2, about.toNanos() * 3 / 2)));
  }

  /** Waits for this time, while a fault lasts. */
  static void during(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() - end < 0) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }

  /**
   * Runs a fault at least once, and again until {@link #LENGTH} has passed, with pauses in between.
   */
  void repeat(Duration pause, Runnable fault) {
    long end = System.nanoTime() + LENGTH.toNanos();
    do {
      fault.run();
      pause(pause);
    } while (System.nanoTime() - end < 0);
  }

  /** Returns {@link #LENGTH}, but at most this length. */
  static Duration atMost(Duration longest) {
    return LENGTH.compareTo(longest) < 0 ? LENGTH : longest;
  }

  /**
   * Expects that the longest time in which due messages waited without a delivery is at most the
   * time to detect a failed primary plus five seconds.
   */
  static void expectShortSilence(HistoryReport report, Duration detection) {
    System.out.println("longest silence: " + report.longestSilence());
    assertThat(report.longestSilence()).isLessThanOrEqualTo(detection.plus(FAIL_OVER));
  }

  /**
   * Expects that every lost message was confirmed less than this time before the server was killed,
   * or later.
   *
   * @param lost when the lost messages were confirmed, in nanoseconds
   * @param killed when the server was killed, in nanoseconds
   */
  static void expectLostWithin(
      Duration window, List<Long> lost, long killed, HistoryReport report) {
    System.out.println(lost.size() + " of " + report.confirmed() + " confirmed were lost");
    assertThat(lost).as("%s", report).allMatch(at -> killed - at < window.toNanos());
  }
}
