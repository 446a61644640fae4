package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.harness.history.HistoryReport;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/**
 * How long the faults of a test last, how many messages they happen to, and the choices that chance
 * makes: the target and the time of a fault. The system property {@code minutes} of the build, or
 * {@code punctual.faults.seconds}, makes them longer, {@code punctual.faults.messages} makes
 * messages more, and {@code punctual.faults.seed} repeats these choices. For a single thread.
 */
final class FaultPlan {
  private static final int MINUTES = Integer.getInteger("punctual.faults.minutes", 0);

  /** How long a fault lasts, or is repeated. */
  static final Duration LENGTH =
      MINUTES > 0
          ? Duration.ofMinutes(MINUTES)
          : Duration.ofSeconds(Integer.getInteger("punctual.faults.seconds", 2));

  /** How many messages there are, or more. */
  static final int MESSAGES =
      (int) Math.max(Integer.getInteger("punctual.faults.messages", 1000), 50 * LENGTH.toSeconds());

  /** How long to wait for the recovery after a fault. */
  static final Duration PATIENCE = Duration.ofSeconds(90);

  private static final Duration FAIL_OVER = Duration.ofSeconds(5);

  /** How far a replica is behind at most that nothing is wrong with. */
  static final Duration REPLICA_LAG = Duration.ofSeconds(1);

  private final long seed;
  private final RandomGenerator random;

  /** Creates the plan of this test, and prints the seed that repeats the plan. */
  FaultPlan(String test) {
    seed = Long.getLong("punctual.faults.seed", new Random().nextInt(1_000_000));
    random = new Random(seed);
    System.out.println(test + ": -Dpunctual.faults.seed=" + seed);
  }

  /** Returns the seed. */
  long seed() {
    return seed;
  }

  /** Returns a random element. */
  <T> T anyOf(List<T> choice) {
    return choice.get(random.nextInt(choice.size()));
  }

  /** Lets about this much time pass: half of it to one and a half times as much. */
  void pause(Duration about) {
    during(Duration.ofNanos(random.nextLong(about.toNanos() / 2, about.toNanos() * 3 / 2)));
  }

  /** Lets this much time pass: a fault has to last for a while. */
  static void during(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() - end < 0) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }

  /** Does something once or again and again until the fault's time is over, with pauses. */
  void repeat(Duration pause, Runnable fault) {
    long end = System.nanoTime() + LENGTH.toNanos();
    do {
      fault.run();
      pause(pause);
    } while (System.nanoTime() - end < 0);
  }

  /** Returns the length of a fault that never lasts longer than this. */
  static Duration atMost(Duration longest) {
    return LENGTH.compareTo(longest) < 0 ? LENGTH : longest;
  }

  /** Nothing took longer than to detect that a primary is gone, and three seconds. */
  static void expectShortSilence(HistoryReport report, Duration detection) {
    System.out.println("longest silence: " + report.longestSilence());
    assertThat(report.longestSilence()).isLessThanOrEqualTo(detection.plus(FAIL_OVER));
  }

  /** Expects that every lost message was confirmed shortly before the server was killed. */
  static void expectLostWithin(
      Duration window, List<Long> lost, long killed, HistoryReport report) {
    System.out.println(lost.size() + " of " + report.confirmed() + " confirmed were lost");
    assertThat(lost).as("%s", report).allMatch(at -> killed - at < window.toNanos());
  }
}
