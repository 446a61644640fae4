package io.punctual.kit.history;

import io.punctual.kit.history.HistoryEvent.CancelInvoked;
import io.punctual.kit.history.HistoryEvent.Claimed;
import io.punctual.kit.history.HistoryEvent.PauseInvoked;
import io.punctual.kit.history.HistoryEvent.QueueAnswered;
import io.punctual.kit.history.HistoryEvent.RedriveInvoked;
import io.punctual.kit.history.HistoryEvent.RescheduleInvoked;
import io.punctual.kit.history.HistoryEvent.RunNowInvoked;
import io.punctual.kit.history.HistoryEvent.ScheduleAnswered;
import io.punctual.kit.history.HistoryEvent.ScheduleInvoked;
import io.punctual.kit.history.HistoryEvent.SettlementAnswered;
import io.punctual.kit.history.HistoryEvent.SettlementInvoked;
import io.punctual.kit.history.HistoryEvent.SettlementKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the longest time, by the processes' clock, in which a queue had a claimable message and
 * none of its messages was claimed. Only messages that were claimed later count. A message is
 * claimable from the latest of these times: its due time, its last change, the end of its previous
 * lease, and the last time at which the queue was paused or resumed. The store's clock determines
 * due times; by the processes' clock, a due time is the time of the claim minus the lateness of the
 * message at the claim. For use by a single thread.
 */
final class Silence {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Map<String, List<Span>> spans = new HashMap<>();
  private final Map<String, Long> resumed = new HashMap<>();
  private final Map<String, Long> claimableFrom = new HashMap<>();

  Silence(List<List<HistoryEvent>> processes) {
    List<Placed> events = new ArrayList<>();
    for (int process = 0; process < processes.size(); process++) {
      for (HistoryEvent event : processes.get(process)) {
        events.add(new Placed(process, event));
      }
    }
    events.sort(Comparator.comparingLong(placed -> placed.event.at()));
    Map<String, HistoryEvent> invoked = new HashMap<>();
    events.forEach(placed -> collect(placed, invoked));
  }

  private record Placed(int process, HistoryEvent event) {
    String op(long op) {
      return process + " " + op;
    }
  }

  /** The time from which a message could be claimed, and the time of its claim. */
  private record Span(long from, long to) {}

  Duration longest() {
    long longest = 0;
    for (List<Span> queue : spans.values()) {
      longest = Math.max(longest, longest(queue));
    }
    return Duration.ofNanos(longest);
  }

  private static long longest(List<Span> queue) {
    long longest = 0;
    long earliest = Long.MAX_VALUE;
    for (int i = queue.size() - 1; i >= 0; i--) {
      Span span = queue.get(i);
      earliest = Math.min(earliest, span.from);
      long since = i == 0 ? earliest : Math.max(earliest, queue.get(i - 1).to);
      longest = Math.max(longest, span.to - since);
    }
    return longest;
  }

  private void collect(Placed placed, Map<String, HistoryEvent> invoked) {
    HistoryEvent event = placed.event;
    if (event instanceof HistoryEvent.Invocation invocation) {
      invoked.put(placed.op(invocation.op()), invocation);
      touched(invocation);
    } else if (event instanceof Claimed claimed) {
      claimed(claimed);
    } else if (event instanceof SettlementAnswered answered
        && invoked.get(placed.op(answered.op())) instanceof SettlementInvoked settlement) {
      boolean held = settlement.kind() == SettlementKind.EXTEND;
      long held0 = held ? settlement.millis() * NANOS_PER_MILLI : 0;
      claimableFrom.put(key(settlement.queue(), settlement.id()), answered.at() + held0);
    } else if (event instanceof ScheduleAnswered answered
        && invoked.get(placed.op(answered.op())) instanceof ScheduleInvoked schedule) {
      claimableFrom.merge(key(schedule.queue(), answered.id()), answered.at(), Math::max);
    } else if (event instanceof QueueAnswered answered
        && invoked.get(placed.op(answered.op())) instanceof PauseInvoked pause) {
      resumed.put(pause.queue(), answered.at());
    }
  }

  private void touched(HistoryEvent.Invocation invocation) {
    String id = null;
    if (invocation instanceof ScheduleInvoked schedule) {
      id = schedule.id();
    } else if (invocation instanceof RescheduleInvoked reschedule) {
      id = reschedule.id();
    } else if (invocation instanceof RunNowInvoked runNow) {
      id = runNow.id();
    } else if (invocation instanceof RedriveInvoked redrive) {
      id = redrive.id();
    } else if (invocation instanceof CancelInvoked cancel) {
      id = cancel.id();
    }
    if (id != null) {
      claimableFrom.merge(key(invocation.queue(), id), invocation.at(), Math::max);
    }
  }

  private void claimed(Claimed claimed) {
    String key = key(claimed.queue(), claimed.id());
    if (claimed.engineMicros() == HistoryEvent.NO_TIME) {
      claimableFrom.put(key, claimed.at());
      return;
    }
    long overdue = claimed.engineMicros() * 1000 - claimed.dueMillis() * NANOS_PER_MILLI;
    long from = Math.max(claimed.at() - overdue, claimableFrom.getOrDefault(key, Long.MIN_VALUE));
    from = Math.max(from, resumed.getOrDefault(claimed.queue(), Long.MIN_VALUE));
    spans
        .computeIfAbsent(claimed.queue(), queue -> new ArrayList<>())
        .add(new Span(Math.min(from, claimed.at()), claimed.at()));
    long lease = claimed.leasedUntilMillis() * NANOS_PER_MILLI - claimed.engineMicros() * 1000;
    claimableFrom.put(key, claimed.at() + lease);
  }

  private static String key(String queue, String id) {
    return queue + " " + id;
  }
}
