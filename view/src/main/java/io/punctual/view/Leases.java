package io.punctual.view;

import io.punctual.Failure;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.WorkerInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/**
 * What the messages of the evidence show about their leases.
 *
 * @param evidence the evidence
 */
record Leases(Evidence evidence) {
  /** What waits for a shorter time is on time. */
  static final Duration LATE = Duration.ofSeconds(1);

  /** Returns the time of the store, as far as its workers show it, else of this machine. */
  private Instant storeTime() {
    return evidence.workers().orElse(List.of()).stream()
        .map(WorkerInfo::lastSeenAt)
        .max(Comparator.naturalOrder())
        .orElse(evidence.now());
  }

  /** Returns whether a consumer holds the message. A lease that has ended holds no longer. */
  private boolean isHeld(StoredMessage<?> message) {
    return message.state() == State.LEASED
        && message.leasedUntil().map(until -> until.isAfter(storeTime())).orElse(true);
  }

  /**
   * Returns whether the lease of the message has ended a while ago, and nobody claimed it again.
   */
  private boolean isLeft(StoredMessage<?> message) {
    return message
        .leasedUntil()
        .filter(until -> until.isBefore(storeTime().minus(LATE)))
        .isPresent();
  }

  /** Returns the number of attempts that ended without a settlement and without a failure. */
  int lost(StoredMessage<?> message) {
    int ended = message.attempts() - (isHeld(message) ? 1 : 0);
    int failures = message.failures().stream().mapToInt(Failure::attempt).max().orElse(0);
    return Math.max(0, ended - Math.max(failures, message.failures().size()));
  }

  /** Returns whether anybody holds a lease that has not ended; without messages, counts tell. */
  boolean areHeld() {
    if (evidence.messages().isEmpty()) {
      return evidence.counts().filter(counts -> counts.leased() > 0).isPresent();
    }
    return evidence.messages().stream().anyMatch(this::isHeld);
  }

  /** Returns whether a lease has ended a while ago, and nobody claimed its message again. */
  boolean areLeft() {
    return evidence.messages().stream().anyMatch(this::isLeft);
  }

  /** Returns the messages whose attempts were lost, those with the most lost attempts first. */
  List<StoredMessage<?>> lostMessages() {
    return evidence.messages().stream()
        .filter(message -> lost(message) > 0)
        .sorted(Comparator.<StoredMessage<?>>comparingInt(this::lost).reversed())
        .toList();
  }
}
