package io.punctual.kit.simulation;

import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import java.util.concurrent.Executor;

/**
 * A process: its timer, its monotonic clock, and the executor of its handlers. It can be frozen, as
 * by a long garbage collection, and killed. Not thread-safe.
 */
final class SimulatedProcess implements DueTimer, Executor {
  private static final long LATE_MOST = 50 * Chance.MILLI;
  private static final long BUSY_MOST = 3 * Chance.SECOND;
  private static final double DROPPED = 0.005;

  private final String name;
  private final Scheduler scheduler;
  private final FaultSchedule weather;
  private final Chance chance;
  private final long origin;
  private long frozenUntil;
  private boolean dead;

  SimulatedProcess(String name, Scheduler scheduler, FaultSchedule weather, Chance chance) {
    this.name = name;
    this.scheduler = scheduler;
    this.weather = weather;
    this.chance = chance;
    this.origin = origin(chance);
  }

  /** Returns the origin of the monotonic clock. Some clocks overflow within the first minute. */
  private static long origin(Chance chance) {
    return chance.of(0.3)
        ? Long.MAX_VALUE - chance.between(0L, 60 * Chance.SECOND)
        : chance.random().nextLong();
  }

  String name() {
    return name;
  }

  @Override
  public long nanoTime() {
    return origin + scheduler.nanoTime();
  }

  @Override
  public Timeout schedule(long delayNanos, Runnable task) {
    long late = weather.isFair() ? 0 : chance.around(Chance.MILLI / 10);
    late += weather.isFair() || !chance.of(0.02) ? 0 : chance.between(0L, LATE_MOST);
    long delay = Math.max(0, Math.min(delayNanos, Long.MAX_VALUE / 4));
    return scheduler.schedule(delay + late, this, task)::cancel;
  }

  @Override
  public void execute(Runnable handler) {
    if (!weather.isFair() && chance.of(DROPPED)) {
      return;
    }
    boolean busy = !weather.isFair() && chance.of(0.05);
    long wait = busy ? chance.between(0L, BUSY_MOST) : chance.around(Chance.MILLI / 10);
    scheduler.schedule(wait, this, handler);
  }

  void freeze(long nanos) {
    frozenUntil = scheduler.nanoTime() + nanos;
  }

  void thaw() {
    frozenUntil = scheduler.nanoTime();
  }

  /** Returns how much longer the process is frozen; zero or less if it is not frozen. */
  long frozenNanos() {
    return frozenUntil - scheduler.nanoTime();
  }

  void kill() {
    dead = true;
  }

  boolean isDead() {
    return dead;
  }
}
