package io.punctual.kit.process;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for conditions, with a generous bound. */
public final class Waiting {
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private Waiting() {}

  /** A condition; an exception means that the condition does not hold yet. */
  @FunctionalInterface
  public interface Condition {
    boolean holds() throws Exception;
  }

  /**
   * Waits for a condition for two minutes at most.
   *
   * @throws IllegalStateException if the condition does not hold in time
   */
  public static void until(String what, Condition condition) {
    if (!await(condition, () -> true, Processes.PATIENCE)) {
      throw new IllegalStateException("Not within two minutes: " + what);
    }
  }

  /** Waits for a condition while another one holds; returns whether the first one holds. */
  static boolean await(Condition condition, Condition meanwhile, Duration patience) {
    long begin = System.nanoTime();
    while (!holds(condition)) {
      if (System.nanoTime() - begin > patience.toNanos() || !holds(meanwhile)) {
        return false;
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return true;
  }

  private static boolean holds(Condition condition) {
    try {
      return condition.holds();
    } catch (InterruptedException e) {
      throw Processes.interrupted(e);
    } catch (Exception notYet) {
      return false;
    }
  }
}
