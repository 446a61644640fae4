package io.punctual.kit.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Runs recurring messages for a long simulated time, with real clients and workers on a memory
 * store. Processes are killed before and after their calls, freeze, and stay stopped for days. The
 * queue is paused. Handlers fail, defer, and take a long time. Then the faults end. Each occurrence
 * of each message must end once, by a success or after its last attempt, unless the recurrence
 * skips the occurrence, or an earlier failure has ended the message.
 */
public final class RecurringSimulation {
  private static final int MESSAGES = 8;

  private RecurringSimulation() {}

  /**
   * The result of a run.
   *
   * @param complaints the first violations; empty if there are none
   * @param completed the number of occurrences with a successful handler
   * @param failed the number of occurrences without a successful handler, after which their message
   *     continued
   * @param skipped the number of occurrences that were missed and skipped
   * @param crashes the number of killed processes
   * @param runs the number of calls of handlers
   */
  public record Result(
      long seed,
      List<String> complaints,
      long completed,
      long failed,
      long skipped,
      long crashes,
      long runs) {
    /** Keeps a copy of the list. */
    public Result {
      complaints = List.copyOf(complaints);
    }
  }

  /** Runs messages with fixed intervals and all options for two months. */
  public static Result run(long seed) {
    Instant start = EngineClock.BEGIN;
    List<Rhythm> rhythms = new ArrayList<>();
    for (int i = 0; i < MESSAGES; i++) {
      Duration interval = Duration.ofMinutes(60 + 173L * i);
      Rhythm rhythm = Rhythm.every(interval, start.plusSeconds(1_000L * i));
      rhythms.add(
          switch (i % 4) {
            case 0 -> rhythm.catchUp();
            case 1 -> rhythm.stopOnFailure();
            default -> rhythm;
          });
    }
    return run(seed, start, Duration.ofDays(60), rhythms);
  }

  /**
   * Runs a message for each rhythm from {@code start}, with faults for {@code time}; the same seed
   * gives the same run.
   */
  public static Result run(long seed, Instant start, Duration time, List<Rhythm> rhythms) {
    return new RecurringRun(seed, new SplittableRandom(seed), start, rhythms).run(time);
  }
}
