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
 *     the lease of {@link PunctualBuilder#queueDefaults}, 30 seconds by default. Only for claims,
 *     since a take has no lease
 * @param maxWait how long the call waits for the first message, shorter than {@link Limits#DAYS};
 *     zero or less returns only messages that are due now
 * @param policy decides about payloads that can't be decoded, and about messages whose leases keep
 *     running out. The caller settles the messages that it receives
 * @param claimant the name of the program or person for whom the messages are claimed, which {@link
 *     LeaseHolder#claimant} shows; 1 to 256 bytes of UTF-8 without control characters, or empty.
 *     Only for claims
 * @param prefetch how many messages a take claims in advance for later takes of this client, for
 *     each partition, 0 to 1000; 0 claims nothing in advance. Only for takes
 */
public record ClaimOptions(
    Optional<Duration> lease,
    Duration maxWait,
    RetryPolicy policy,
    Optional<String> claimant,
    int prefetch) {
  /** The queue's lease, no wait, {@link RetryPolicy#DEFAULT}, no claimant and no prefetch. */
  public static final ClaimOptions DEFAULT =
      new ClaimOptions(Optional.empty(), Duration.ZERO, RetryPolicy.DEFAULT, Optional.empty(), 0);

  /**
   * Creates options.
   *
   * @throws IllegalArgumentException if an option is out of range
   */
  public ClaimOptions {
    long unusedLease = lease.map(Checks::lease).orElse(0L);
    long unusedWait = DueTime.delayMillis(maxWait);
    Objects.requireNonNull(policy, "policy");
    claimant.ifPresent(name -> Checks.name(name, "The name of a claimant"));
    Checks.range(prefetch, 0, 1000, "prefetch");
  }

  /** Returns these options with this lease. */
  public ClaimOptions lease(Duration other) {
    return new ClaimOptions(Optional.of(other), maxWait, policy, claimant, prefetch);
  }

  /** Returns these options with this wait. */
  public ClaimOptions maxWait(Duration other) {
    return new ClaimOptions(lease, other, policy, claimant, prefetch);
  }

  /** Returns these options with this policy. */
  public ClaimOptions policy(RetryPolicy other) {
    return new ClaimOptions(lease, maxWait, other, claimant, prefetch);
  }

  /**
   * Returns these options with the name of a claimant. Claims with different names still share
   * calls of the store, and the store does not keep the name: the client of the claim tells it to
   * other processes while it holds the message. If the client {@linkplain Punctual#announce
   * announces} a worker of this queue and name, the holder of the lease has that worker's host.
   */
  public ClaimOptions claimant(String name) {
    return new ClaimOptions(lease, maxWait, policy, Optional.of(name), prefetch);
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
    return new ClaimOptions(lease, maxWait, policy, claimant, messages);
  }
}
