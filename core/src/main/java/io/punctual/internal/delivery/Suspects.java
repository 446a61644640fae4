package io.punctual.internal.delivery;

import io.punctual.internal.message.FailureLog;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the suspects among the messages of a claim, and returns those to the queue that {@link
 * Isolation} does not admit. Thread-safe.
 */
public final class Suspects {
  /** The number of attempts without a result from which a message is a suspect. */
  private static final int UNSETTLED = 2;

  /**
   * The messages of a claim that the consumer may receive.
   *
   * @param others the claim without suspects
   * @param suspect the claim with the admitted suspect alone; null if none was admitted
   */
  public record Sifted(Reply.Claimed others, Reply.@Nullable Claimed suspect) {
    /** Returns all messages. */
    public Reply.Claimed together() {
      if (suspect == null) {
        return others;
      }
      List<Reply.Leased> all = new ArrayList<>(suspect.messages());
      all.addAll(others.messages());
      return part(others, all, others.unreadable());
    }
  }

  private final SettlementContext settling;
  private final int maxAttempts;
  private final boolean buriesAboveLimit;

  /**
   * Creates a filter.
   *
   * @param buriesAboveLimit whether no dead handler receives a message above the limit of attempts
   */
  Suspects(SettlementContext settling, int maxAttempts, boolean buriesAboveLimit) {
    this.settling = settling;
    this.maxAttempts = maxAttempts;
    this.buriesAboveLimit = buriesAboveLimit;
  }

  /** Admits at most one suspect of a claim, and returns the other suspects to the queue. */
  Sifted sift(Reply.Claimed claimed, ClaimLease lease) {
    List<Reply.Leased> others = new ArrayList<>(claimed.messages().size());
    List<Reply.Leased> returned = new ArrayList<>();
    Reply.@Nullable Leased admitted = null;
    for (Reply.Leased message : claimed.messages()) {
      int unsettled = message.attempt() == 1 ? 0 : unsettled(message);
      if (unsettled == 0) {
        others.add(message);
      } else if (enters(message, lease, unsettled)) {
        admitted = message;
      } else {
        returned.add(message);
      }
    }
    returned.forEach(message -> setApart(message, lease));
    Reply.Claimed rest =
        others.size() == claimed.messages().size()
            ? claimed
            : part(claimed, others, claimed.unreadable());
    return new Sifted(rest, admitted == null ? null : part(claimed, List.of(admitted), List.of()));
  }

  private static Reply.Claimed part(
      Reply.Claimed claimed, List<Reply.Leased> messages, List<Reply.Unreadable> unreadable) {
    return new Reply.Claimed(
        List.copyOf(messages),
        unreadable,
        claimed.token(),
        claimed.engineMicros(),
        claimed.untilNextMicros(),
        claimed.isShort());
  }

  /**
   * Returns the number of attempts of a suspect that ended without a result, or 0 if the message is
   * no suspect: its last attempt had a result, or this happened once and more than two attempts are
   * left, or it is buried without a call of the user's code.
   */
  private int unsettled(Reply.Leased message) {
    int attempt = message.attempt();
    FailureLog failures = FailureLog.of(message.history());
    if (failures.hasFailureOf(attempt - 1) || (buriesAboveLimit && attempt > maxAttempts)) {
      return 0;
    }
    int unsettled = Math.max(1, attempt - 1 - failures.total());
    return unsettled >= UNSETTLED || attempt >= maxAttempts - 1 ? unsettled : 0;
  }

  private boolean enters(Reply.Leased message, ClaimLease lease, int unsettled) {
    boolean admitted =
        settling.isolation().enter(message.id(), lease.token(), lease.deadlineNanos(), unsettled);
    if (admitted) {
      settling.log().alone(message.id(), message.attempt(), unsettled);
    }
    return admitted;
  }

  /** Returns a suspect to the queue. If that fails, the message is due again after its lease. */
  private void setApart(Reply.Leased message, ClaimLease lease) {
    try {
      FailureLog failures = FailureLog.of(message.history());
      Occurrence occurrence = Occurrence.of(message, failures, settling.env().recurrences());
      Settlements settlements =
          new Settlements(settling.queue(), message, lease.token(), failures, occurrence);
      Duration delay = settling.isolation().away();
      Instant now = Instant.ofEpochMilli(lease.engineMillis(settling.env().nanoTime()));
      Settlements.Step step = settlements.setApart(delay, now);
      HeldLease held = new HeldLease(settling, message.id(), message.attempt(), lease);
      settling.isolation().returning(held.settle(step.operation(), step.done()));
    } catch (Throwable e) {
      settling.log().unsettled("release", message.id(), e);
    }
  }
}
