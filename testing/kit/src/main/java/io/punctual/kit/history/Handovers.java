package io.punctual.kit.history;

import io.punctual.SettleOutcome;
import io.punctual.kit.history.HistoryEvent.ClaimInvoked;
import io.punctual.kit.history.HistoryEvent.Claimed;
import io.punctual.kit.history.HistoryEvent.Doubt;
import io.punctual.kit.history.HistoryEvent.Failed;
import io.punctual.kit.history.HistoryEvent.HandedOver;
import io.punctual.kit.history.HistoryEvent.HandlerReturned;
import io.punctual.kit.history.HistoryEvent.SentAgain;
import io.punctual.kit.history.HistoryEvent.SettlementAnswered;
import io.punctual.kit.history.HistoryEvent.SettlementInvoked;
import io.punctual.kit.history.HistoryEvent.SettlementKind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks how a process uses its leases: each lease is passed to a single handler, before its
 * deadline, and is not acked without a handler or after the handler failed. After the deadline, a
 * delivery must report its lost lease. A confirmed claim or extension sets a deadline: the time of
 * the first sending of the request that may have arrived, plus the duration of the lease. The
 * latest deadline counts. For use by a single thread.
 */
final class Handovers {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final boolean strictly;
  private final HistoryReport.Builder report;
  private final Map<Long, ClaimInvoked> claims = new HashMap<>();
  private final Map<Long, Sending> sendings = new HashMap<>();
  private final Map<Long, SettlementInvoked> settlements = new HashMap<>();
  private final Map<Key, Held> leases = new HashMap<>();

  Handovers(boolean strictly, HistoryReport.Builder report) {
    this.strictly = strictly;
    this.report = report;
  }

  private record Key(String queue, String id, long token) {}

  /**
   * The sendings of a call: the time of the first sending that may have arrived, and the number of
   * such sendings.
   */
  private static final class Sending {
    long firstSent;
    int mayHaveArrived = 1;

    Sending(long firstSent) {
      this.firstSent = firstSent;
    }
  }

  /** The facts about a lease that the process knows. */
  private static final class Held {
    long deadline;
    boolean handedOver;
    boolean settled;
    boolean failed;

    Held(long deadline) {
      this.deadline = deadline;
    }
  }

  /** Reports the breaches of a process. */
  void check(List<HistoryEvent> process) {
    for (HistoryEvent event : process) {
      if (event instanceof SentAgain || event instanceof Failed) {
        sending(event);
      } else if (event instanceof ClaimInvoked claim) {
        claims.put(claim.op(), claim);
        sendings.put(claim.op(), new Sending(claim.at()));
      } else if (event instanceof Claimed claimed) {
        claimed(claimed);
      } else if (event instanceof SettlementInvoked invoked) {
        settling(invoked);
      } else if (event instanceof SettlementAnswered answered) {
        settled(answered);
      } else if (event instanceof HandedOver handed) {
        handedOver(handed);
      } else if (event instanceof HandlerReturned returned) {
        returned(returned);
      }
    }
  }

  private void sending(HistoryEvent event) {
    if (event instanceof SentAgain again && sendings.containsKey(again.op())) {
      Sending sending = sendings.get(again.op());
      sending.firstSent = sending.mayHaveArrived == 0 ? again.at() : sending.firstSent;
      sending.mayHaveArrived++;
    } else if (event instanceof Failed failed && sendings.containsKey(failed.op())) {
      sendings.get(failed.op()).mayHaveArrived -= failed.doubt() == Doubt.NOT_DONE ? 1 : 0;
    }
  }

  private long firstSent(long op, long invoked) {
    Sending sending = sendings.get(op);
    return sending == null ? invoked : sending.firstSent;
  }

  private void claimed(Claimed claimed) {
    ClaimInvoked claim = claims.get(claimed.op());
    if (claim != null) {
      long deadline = firstSent(claim.op(), claim.at()) + claim.leaseMillis() * NANOS_PER_MILLI;
      leases.putIfAbsent(
          new Key(claimed.queue(), claimed.id(), claimed.token()), new Held(deadline));
    }
  }

  private void settling(SettlementInvoked invoked) {
    settlements.put(invoked.op(), invoked);
    sendings.put(invoked.op(), new Sending(invoked.at()));
    Held held = leases.get(new Key(invoked.queue(), invoked.id(), invoked.token()));
    if (held == null) {
      report.add(Breach.UNEXPLAINED, invoked.queue(), invoked.id(), invoked.toString());
      return;
    }
    if (invoked.kind() == SettlementKind.ACK && (!held.handedOver || held.failed)) {
      report.add(Breach.ACKED_UNDONE, invoked.queue(), invoked.id(), invoked.toString());
    }
    held.settled |= invoked.kind() != SettlementKind.EXTEND;
  }

  private void settled(SettlementAnswered answered) {
    SettlementInvoked invoked = settlements.get(answered.op());
    Held held =
        invoked == null
            ? null
            : leases.get(new Key(invoked.queue(), invoked.id(), invoked.token()));
    if (invoked == null || held == null) {
      return;
    }
    if (answered.outcome() == SettleOutcome.LEASE_LOST) {
      refused(held, answered);
    } else if (invoked.kind() == SettlementKind.EXTEND) {
      long sent = firstSent(invoked.op(), invoked.at());
      held.deadline = Math.max(held.deadline, sent + invoked.millis() * NANOS_PER_MILLI);
    }
  }

  /**
   * Ends the lease at the recorded refusal of a settlement, but only for {@link
   * History#checkStrictly}. A real client learns of the refusal shortly after the recording, and
   * may start a handler in between.
   */
  private void refused(Held held, SettlementAnswered answered) {
    if (strictly) {
      held.deadline = Math.min(held.deadline, answered.at());
    }
  }

  private void handedOver(HandedOver handed) {
    Held held = leases.get(new Key(handed.queue(), handed.id(), handed.token()));
    if (held == null) {
      report.add(Breach.UNEXPLAINED, handed.queue(), handed.id(), handed.toString());
      return;
    }
    if (held.handedOver || held.settled) {
      report.add(Breach.DUPLICATE, handed.queue(), handed.id(), handed.toString());
    }
    if (handed.at() > held.deadline && (strictly || !handed.lost())) {
      Breach breach = handed.lost() || strictly ? Breach.STARTED_LATE : Breach.LOSS_UNNOTICED;
      report.add(breach, handed.queue(), handed.id(), handed.toString());
    }
    held.handedOver = true;
  }

  private void returned(HandlerReturned returned) {
    Held held = leases.get(new Key(returned.queue(), returned.id(), returned.token()));
    if (held == null) {
      return;
    }
    held.failed |= returned.failed() && !returned.settled();
    if (returned.at() > held.deadline && !returned.lost() && !returned.settled()) {
      report.add(Breach.LOSS_UNNOTICED, returned.queue(), returned.id(), returned.toString());
    }
  }
}
