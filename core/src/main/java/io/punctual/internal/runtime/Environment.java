package io.punctual.internal.runtime;

import io.punctual.internal.message.Recurrences;
import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The dependencies of the runtime on its environment, so that a simulation can replace them.
 * Immutable.
 *
 * @param timer the timer, and the monotonic clock of leases and time-outs
 * @param clock the wall clock, for example for generated ids and for the first occurrence of a
 *     recurrence
 * @param random provides a random generator for the calling thread
 * @param events receives events
 * @param payloadLimit the largest payload, in bytes
 * @param interceptors the interceptors of schedules and handlers
 * @param callbacks completes the user's stages of asynchronous calls
 * @param operationTimeout the longest wait of an operation for its answer
 * @param blockingTimeout the longest wait of a blocking call for its answer
 * @param operationLimit the number of unsent operations of one partition from which the client
 *     accepts only settlements
 * @param backlog bounds the bytes of schedules that wait for the store
 * @param recurrences the cache of parsed recurrences
 * @param lastFailure the last failure of the store, while the store does not answer
 */
public record Environment(
    DueTimer timer,
    InstantSource clock,
    Supplier<RandomGenerator> random,
    Events events,
    Interceptors interceptors,
    Callbacks callbacks,
    int payloadLimit,
    Duration operationTimeout,
    Duration blockingTimeout,
    int operationLimit,
    Backlog backlog,
    Recurrences recurrences,
    LastFailure lastFailure) {
  /** The default limit of waiting operations of one partition. */
  public static final int DEFAULT_OPERATION_LIMIT = 100_000;

  /** The default longest wait of an operation. */
  public static final Duration DEFAULT_OPERATION_TIMEOUT = Duration.ofSeconds(60);

  /** The default longest wait of a blocking call. */
  public static final Duration DEFAULT_BLOCKING_TIMEOUT = Duration.ofSeconds(5);

  public Waiting waiting() {
    return waiting(blockingTimeout);
  }

  public Waiting waiting(Duration timeout) {
    return new Waiting(timeout, lastFailure);
  }

  public long nanoTime() {
    return timer.nanoTime();
  }

  /**
   * Returns how far the wall clock is ahead of the timer's clock, in nanoseconds from an arbitrary
   * origin. On Linux and macOS the timer's clock stands still while the machine is suspended, so
   * the value grows by the length of the suspension; it also changes with a step of the wall clock.
   * The value is constant if the timer has a clock of its own.
   */
  public long wallAheadNanos() {
    return timer instanceof GuardedTimer guarded && guarded.keepsPaceWithWallClock()
        ? TimeUnit.MILLISECONDS.toNanos(clock.millis()) - timer.nanoTime()
        : 0;
  }

  /**
   * Schedules a task of the timer, or returns null if the user has closed the timer before the
   * client.
   */
  public @Nullable Timeout ifOpen(long delayNanos, Runnable task) {
    try {
      return timer.schedule(delayNanos, task);
    } catch (RejectedExecutionException timerClosed) {
      return null;
    }
  }

  /** Runs a step after this time, or at once if the user has closed the timer before the client. */
  public Timeout orNow(Duration time, Runnable step) {
    try {
      return timer.schedule(time, step);
    } catch (RejectedExecutionException timerClosed) {
      step.run();
      return () -> false;
    }
  }

  /** Returns the operation time-out in nanoseconds, at most 292 years. */
  public long operationTimeoutNanos() {
    return TimeUnit.NANOSECONDS.convert(operationTimeout);
  }

  public RandomGenerator randomGenerator() {
    return random.get();
  }
}
