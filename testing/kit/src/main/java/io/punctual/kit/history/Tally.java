package io.punctual.kit.history;

import io.punctual.CancelOutcome;
import io.punctual.ScheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.kit.history.HistoryEvent.Answer;
import io.punctual.kit.history.HistoryEvent.CancelAnswered;
import io.punctual.kit.history.HistoryEvent.Claimed;
import io.punctual.kit.history.HistoryEvent.Found;
import io.punctual.kit.history.HistoryEvent.HandedOver;
import io.punctual.kit.history.HistoryEvent.InventoryBegan;
import io.punctual.kit.history.HistoryEvent.Invocation;
import io.punctual.kit.history.HistoryEvent.LeaseLostSeen;
import io.punctual.kit.history.HistoryEvent.ScheduleAnswered;
import io.punctual.kit.history.HistoryEvent.ScheduleInvoked;
import io.punctual.kit.history.HistoryEvent.SettlementAnswered;
import io.punctual.kit.history.HistoryEvent.SettlementInvoked;
import io.punctual.kit.history.HistoryEvent.SettlementKind;
import io.punctual.kit.history.HistoryEvent.StoreTroubleSeen;
import io.punctual.kit.history.Invocations.Fate;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Counts the events of a history for its report. For use by a single thread. */
final class Tally {
  private final HistoryReport.Builder report;
  private final Set<String> seen = new HashSet<>();
  private final Set<String> buried = new HashSet<>();
  private final Set<String> answeredClaims = new HashSet<>();

  private Tally(HistoryReport.Builder report) {
    this.report = report;
  }

  static void count(
      List<List<HistoryEvent>> processes, Invocations invocations, HistoryReport.Builder report) {
    Tally tally = new Tally(report);
    for (int process = 0; process < processes.size(); process++) {
      for (HistoryEvent event : processes.get(process)) {
        tally.count(process, event, invocations);
      }
    }
    tally.finish();
  }

  private void count(int process, HistoryEvent event, Invocations invocations) {
    if (event instanceof Invocation invocation) {
      countInvocation(invocation, invocations.fate(process, invocation.op()));
    } else if (event instanceof Answer answer) {
      Fate fate = invocations.fate(process, answer.op());
      if (fate.answer() == answer) {
        countAnswer(answer, fate.invocation);
      }
    } else if (event instanceof HandedOver handed) {
      report.handedOver++;
      seen.add(key(handed.queue(), handed.id()));
    } else if (event instanceof Claimed claimed) {
      boolean first = answeredClaims.add(process + " " + claimed.op() + " " + claimed.id());
      report.redelivered += first && claimed.attempt() > 1 ? 1 : 0;
    } else if (event instanceof LeaseLostSeen) {
      report.leasesLost++;
    } else if (event instanceof StoreTroubleSeen) {
      report.troubles++;
    } else if (event instanceof InventoryBegan) {
      report.inventories++;
    } else if (event instanceof Found found) {
      report.left += found.state() == State.DEAD ? 0 : 1;
    }
  }

  private void countInvocation(Invocation invocation, Fate fate) {
    report.scheduled += invocation instanceof ScheduleInvoked ? 1 : 0;
    report.unknown += fate.answer() == null && !fate.isNotDone() ? 1 : 0;
  }

  private void countAnswer(Answer answer, Invocation invocation) {
    if (answer instanceof ScheduleAnswered scheduled) {
      boolean stored =
          scheduled.outcome() == ScheduleOutcome.STORED
              || scheduled.outcome() == ScheduleOutcome.REPLACED;
      report.confirmed += stored ? 1 : 0;
    } else if (answer instanceof CancelAnswered cancel) {
      report.cancelled += cancel.outcome() == CancelOutcome.CANCELLED ? 1 : 0;
    } else if (answer instanceof SettlementAnswered settled
        && settled.outcome() == SettleOutcome.DONE
        && invocation instanceof SettlementInvoked invoked) {
      report.acked += invoked.kind() == SettlementKind.ACK ? 1 : 0;
      if (invoked.kind() == SettlementKind.BURY) {
        report.buried++;
        buried.add(key(invoked.queue(), invoked.id()));
      }
    }
  }

  private void finish() {
    report.delivered = seen.size();
    buried.removeAll(seen);
    report.buriedUnseen = buried.size();
  }

  private static String key(String queue, String id) {
    return queue + " " + id;
  }
}
