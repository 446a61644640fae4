package io.punctual.kit.kill;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * The random choices of a test that kills and breaks things: what, when and how often. Prints the
 * system property that repeats the choices. For a single thread.
 *
 * <p>These system properties set the size of a test: {@code punctual.kills} the number of kills;
 * {@code punctual.faults.minutes} or {@code punctual.faults.seconds} the length of a fault, and
 * {@code punctual.faults.messages} the number of messages during a fault.
 */
public final class KillPlan {
  private static final int MINUTES = Integer.getInteger("punctual.faults.minutes", 0);

  /** How long a fault lasts or is repeated. */
  public static final Duration LENGTH =
      MINUTES > 0
          ? Duration.ofMinutes(MINUTES)
          : Duration.ofSeconds(Integer.getInteger("punctual.faults.seconds", 2));

  /** The number of messages: at least 50 for each second of the fault. */
  public static final int MESSAGES =
      (int) Math.max(Integer.getInteger("punctual.faults.messages", 1000), 50 * LENGTH.toSeconds());

  /** The bound of each wait: a fault, and the recovery on a busy machine. */
  public static final Duration PATIENCE = LENGTH.plusSeconds(120);

  private final long seed;
  private final int kills;
  private final Random random;

  private KillPlan(long seed, int kills) {
    this.seed = seed;
    this.kills = kills;
    random = new Random(seed);
  }

  /** Returns the plan of a test of faults; {@code punctual.faults.seed} repeats it. */
  public static KillPlan ofFaults(String test) {
    KillPlan plan = new KillPlan(seed("punctual.faults.seed"), 0);
    System.out.println(test + ": -Dpunctual.faults.seed=" + plan.seed);
    return plan;
  }

  /**
   * Returns the plan of a test of kills; {@code punctual.seed} repeats it.
   *
   * @param kills the number of kills without the system property
   */
  public static KillPlan ofKills(String test, int kills) {
    KillPlan plan =
        new KillPlan(seed("punctual.seed"), Integer.getInteger("punctual.kills", kills));
    System.out.println(plan.kills + " kills, " + test + ": -Dpunctual.seed=" + plan.seed);
    return plan;
  }

  private static long seed(String property) {
    return Long.getLong(property, new Random().nextInt(1_000_000));
  }

  /** Returns the seed of all random choices. */
  public long seed() {
    return seed;
  }

  /** Returns the number of kills. */
  public int kills() {
    return kills;
  }

  /** Returns a random number from 0 to the bound, exclusive. */
  public int below(int bound) {
    return random.nextInt(bound);
  }

  /** Returns a random element. */
  public <T> T anyOf(List<T> choice) {
    return choice.get(below(choice.size()));
  }

  /** Waits for a random time: half of this time to one and a half times this time. */
  public void pause(Duration about) {
    during(Duration.ofNanos(random.nextLong(about.toNanos() / 2, about.toNanos() * 3 / 2)));
  }

  /** Waits for this time, while a fault lasts. */
  public static void during(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() - end < 0) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }

  /** Returns {@link #LENGTH}, but at most this length. */
  public static Duration atMost(Duration longest) {
    return LENGTH.compareTo(longest) < 0 ? LENGTH : longest;
  }

  /** A fault, or the steps to inject it and to end it. */
  @FunctionalInterface
  public interface Fault<E extends Exception> {
    void inject() throws E;
  }

  /**
   * Injects a fault at least once, and again until {@link #LENGTH} has passed, with pauses in
   * between.
   */
  public <E extends Exception> void repeat(Duration pause, Fault<E> fault) throws E {
    long end = System.nanoTime() + LENGTH.toNanos();
    do {
      fault.inject();
      pause(pause);
    } while (System.nanoTime() - end < 0);
  }
}
