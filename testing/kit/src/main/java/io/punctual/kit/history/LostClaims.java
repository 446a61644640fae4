package io.punctual.kit.history;

import io.punctual.kit.history.HistoryEvent.Claimed;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The claims that a crash of the store may have lost. A store may confirm claims before they are
 * durable. A later change of the message that the store confirms makes the claim durable too.
 * Immutable.
 *
 * @param crashes the times of the crashes
 */
record LostClaims(List<Crash> crashes) {
  static final LostClaims NONE = new LostClaims(List.of());

  /** The maximum time between the confirmation of a claim and its durability. */
  private static final long UNSAFE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * The time of a crash, in {@link System#nanoTime}.
   *
   * @param from the earliest time
   * @param to the latest time
   */
  record Crash(long from, long to) {}

  LostClaims {
    crashes = List.copyOf(crashes);
  }

  /**
   * Returns the state after a step. If the step is a claim that a crash may have lost, the result
   * contains the state before the claim, too.
   */
  IdState after(Step step, IdState before, IdState after) {
    boolean losable =
        step.event() instanceof Claimed claimed && !claimed.taken() && isBeforeCrash(step);
    return losable ? after.losableTo(before) : after;
  }

  private boolean isBeforeCrash(Step claim) {
    return crashes.stream()
        .anyMatch(crash -> claim.from() <= crash.to() && claim.to() >= crash.from() - UNSAFE_NANOS);
  }
}
