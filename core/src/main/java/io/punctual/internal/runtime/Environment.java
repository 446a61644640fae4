package io.punctual.internal.runtime;

import io.punctual.timer.Timer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Everything the runtime takes from the world around it, so that all of it can run on simulated
 * time. Immutable.
 *
 * @param timer waits, and the monotonic clock that leases and time-outs are measured on
 * @param clock the wall clock, for made ids only
 * @param random gives a generator for the calling thread
 * @param events where events go
 * @param payloadLimit the largest payload, in bytes
 * @param callbacks where the stages of asynchronous calls complete
 * @param operationTimeout how long an operation may wait for its answer
 * @param blockingTimeout how long a blocking call waits for its answer
 * @param operationLimit how many operations may wait for their answers in one partition
 * @param backlog counts the bytes that wait for the store
 */
public record Environment(
    Timer timer,
    InstantSource clock,
    Supplier<RandomGenerator> random,
    Events events,
    Callbacks callbacks,
    int payloadLimit,
    Duration operationTimeout,
    Duration blockingTimeout,
    int operationLimit,
    Backlog backlog) {
  /** The operations of one partition that may wait by default. */
  public static final int DEFAULT_OPERATION_LIMIT = 100_000;

  /** The time that an operation may wait by default. */
  public static final Duration DEFAULT_OPERATION_TIMEOUT = Duration.ofSeconds(60);

  /** The time that a blocking call waits by default. */
  public static final Duration DEFAULT_BLOCKING_TIMEOUT = Duration.ofSeconds(5);

  /** Creates an environment with the default limit of bytes. */
  public Environment(
      Timer timer,
      InstantSource clock,
      Supplier<RandomGenerator> random,
      Events events,
      int payloadLimit,
      Duration operationTimeout,
      int operationLimit) {
    this(
        timer,
        clock,
        random,
        events,
        new Callbacks(null),
        payloadLimit,
        operationTimeout,
        DEFAULT_BLOCKING_TIMEOUT,
        operationLimit,
        new Backlog(Backlog.defaultLimit()));
  }

  public Waiting waiting() {
    return new Waiting(blockingTimeout);
  }

  public long nanoTime() {
    return timer.nanoTime();
  }

  /** Returns the operation time-out; one beyond 292 years counts as 292 years. */
  public long operationTimeoutNanos() {
    return TimeUnit.NANOSECONDS.convert(operationTimeout);
  }

  public RandomGenerator randomGenerator() {
    return random.get();
  }
}
