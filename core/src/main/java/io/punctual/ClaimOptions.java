package io.punctual;

import io.punctual.internal.message.Checks;
import io.punctual.spi.DueTime;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * The options of {@link TimedQueue#claim(int, ClaimOptions)} and {@link TimedQueue#take(int,
 * ClaimOptions)}. Immutable.
 *
 * @param lease the lease of each claimed message, 1 millisecond to {@link Limits#DAYS}; empty for
 *     the lease of {@link PunctualBuilder#queueDefaults}, 30 seconds by default. A take has no
 *     lease
 * @param maxWait how long the call waits for the first message, shorter than {@link Limits#DAYS};
 *     zero or less returns only messages that are due now
 * @param policy decides about payloads that can't be decoded, and about messages whose leases keep
 *     running out. The caller settles the messages that it receives
 * @param prefetch how many messages a take claims in advance for later takes of this client, for
 *     each partition, 0 to 1000; 0 claims nothing in advance. A claim ignores it
 */
public record ClaimOptions(
    Optional<Duration> lease, Duration maxWait, RetryPolicy policy, int prefetch) {
  /** The queue's lease, no wait, {@link RetryPolicy#DEFAULT} and no prefetch. */
  public static final ClaimOptions DEFAULT =
      new ClaimOptions(Optional.empty(), Duration.ZERO, RetryPolicy.DEFAULT, 0);

  /**
   * Creates options.
   *
   * @throws IllegalArgumentException if an option is out of range
   */
  public ClaimOptions {
    long unusedLease = lease.map(Checks::lease).orElse(0L);
    long unusedWait = DueTime.delayMillis(maxWait);
    Objects.requireNonNull(policy, "policy");
    Checks.range(prefetch, 0, 1000, "prefetch");
  }

  /** Returns these options with this lease. */
  public ClaimOptions lease(Duration other) {
    return new ClaimOptions(Optional.of(other), maxWait, policy, prefetch);
  }

  /** Returns these options with this wait. */
  public ClaimOptions maxWait(Duration other) {
    return new ClaimOptions(lease, other, policy, prefetch);
  }

  /** Returns these options with this policy. */
  public ClaimOptions policy(RetryPolicy other) {
    return new ClaimOptions(lease, maxWait, other, prefetch);
  }

  /**
   * Returns these options with a prefetch: while callers take messages faster than one every 10
   * milliseconds and more messages are due, a take also claims messages for later takes, which get
   * them without a round trip. If no call takes a message within 20 milliseconds, the client puts
   * the message back, as {@link TimedQueue#take(int, ClaimOptions)} puts messages back. Closing the
   * client puts the messages back at once.
   *
   * <p>A process that dies also loses the messages that it claimed in advance. Other consumers
   * don't see these messages before they are put back. Later calls receive them even while the
   * queue is paused.
   */
  public ClaimOptions prefetch(int messages) {
    return new ClaimOptions(lease, maxWait, policy, messages);
  }
}
