package io.punctual.kit.history;

import io.punctual.SettleOutcome;
import io.punctual.kit.history.Handlings.Loss;
import io.punctual.kit.history.HistoryEvent.HandedOver;
import io.punctual.kit.history.HistoryEvent.LeaseLostSeen;
import io.punctual.kit.history.HistoryEvent.ProcessBegan;
import io.punctual.kit.history.HistoryEvent.SettlementAnswered;
import io.punctual.kit.history.HistoryEvent.SettlementInvoked;
import io.punctual.kit.history.HistoryEvent.SettlementKind;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Counts the {@link Handlings} of a history. For use by a single thread. */
final class HandlingTally {
  private final Set<String> killed;
  private final Map<Loss, Long> lost = new EnumMap<>(Loss.class);
  private final Map<Id, Handled> ids = new LinkedHashMap<>();

  /**
   * Creates an empty tally.
   *
   * @param killed the names of the processes that were killed
   */
  HandlingTally(Set<String> killed) {
    this.killed = killed;
  }

  private record Id(String queue, String id) {}

  private record Lease(Id id, long token) {}

  /** The handlings of an id. */
  private static final class Handled {
    long times;
    long leasesLost;
  }

  /** The end of a lease, as its process knows it. */
  private static final class End {
    final int attempt;
    boolean acked;
    boolean refused;

    End(int attempt) {
      this.attempt = attempt;
    }
  }

  Handlings count(List<List<HistoryEvent>> processes) {
    for (List<HistoryEvent> process : processes) {
      boolean wasKilled =
          process.stream()
              .anyMatch(
                  event -> event instanceof ProcessBegan began && killed.contains(began.process()));
      ends(process).forEach((lease, end) -> add(lease.id, loss(end, wasKilled)));
    }
    List<String> unexplained = new ArrayList<>();
    long again = 0;
    for (Map.Entry<Id, Handled> entry : ids.entrySet()) {
      Handled handled = entry.getValue();
      again += handled.times - 1;
      if (handled.times - 1 > handled.leasesLost) {
        unexplained.add(entry.getKey().id);
      }
    }
    return new Handlings(ids.size(), again, lost, unexplained);
  }

  private static @Nullable Loss loss(End end, boolean wasKilled) {
    if (end.acked) {
      return null;
    } else if (wasKilled) {
      return Loss.HOLDER_KILLED;
    }
    return end.refused ? Loss.REFUSED : Loss.UNCONFIRMED;
  }

  private void add(Id id, @Nullable Loss loss) {
    Handled handled = ids.computeIfAbsent(id, key -> new Handled());
    handled.times++;
    if (loss != null) {
      lost.merge(loss, 1L, Long::sum);
      handled.leasesLost += loss == Loss.UNCONFIRMED ? 0 : 1;
    }
  }

  /** Returns the leases that a process handed to handlers, with the ends of the leases. */
  private static Map<Lease, End> ends(List<HistoryEvent> process) {
    Map<Lease, End> ends = new HashMap<>();
    Map<Long, Lease> acks = new HashMap<>();
    for (HistoryEvent event : process) {
      if (event instanceof HandedOver handed) {
        Lease lease = new Lease(new Id(handed.queue(), handed.id()), handed.token());
        ends.put(lease, new End(handed.attempt()));
      } else if (event instanceof SettlementInvoked invoked
          && invoked.kind() == SettlementKind.ACK) {
        Id id = new Id(invoked.queue(), invoked.id());
        acks.put(invoked.op(), new Lease(id, invoked.token()));
      } else if (event instanceof SettlementAnswered answered) {
        End end = ends.get(acks.get(answered.op()));
        if (end != null) {
          end.acked |= answered.outcome() == SettleOutcome.DONE;
          end.refused |= answered.outcome() == SettleOutcome.LEASE_LOST;
        }
      } else if (event instanceof LeaseLostSeen seen) {
        Id id = new Id(seen.queue(), seen.id());
        ends.forEach((lease, end) -> end.refused |= isLost(lease, end, id, seen.attempt()));
      }
    }
    return ends;
  }

  private static boolean isLost(Lease lease, End end, Id id, int attempt) {
    return lease.id.equals(id) && end.attempt == attempt;
  }
}
