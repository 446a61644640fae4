package io.punctual.kit.history;

import io.punctual.kit.history.HistoryEvent.CancelInvoked;
import io.punctual.kit.history.HistoryEvent.Claimed;
import io.punctual.kit.history.HistoryEvent.DeleteDeadInvoked;
import io.punctual.kit.history.HistoryEvent.Found;
import io.punctual.kit.history.HistoryEvent.InventoryBegan;
import io.punctual.kit.history.HistoryEvent.InventoryEnded;
import io.punctual.kit.history.HistoryEvent.Invocation;
import io.punctual.kit.history.HistoryEvent.PurgeInvoked;
import io.punctual.kit.history.HistoryEvent.RedriveAllInvoked;
import io.punctual.kit.history.HistoryEvent.RedriveInvoked;
import io.punctual.kit.history.HistoryEvent.RescheduleInvoked;
import io.punctual.kit.history.HistoryEvent.RunNowInvoked;
import io.punctual.kit.history.HistoryEvent.ScheduleInvoked;
import io.punctual.kit.history.HistoryEvent.SettlementInvoked;
import io.punctual.kit.history.Invocations.Fate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Groups the steps of a run by id and then by track, and explains the history of each id. A process
 * has a track for each calling thread, a track for its claims, a track for its settlements, and a
 * track for its inventories. Each change of a whole queue has a track of its own. For use by a
 * single thread.
 */
final class IdHistories {
  private final Map<Id, Map<String, List<Step>>> ids = new LinkedHashMap<>();
  private final Map<String, List<Tracked>> queueWide = new HashMap<>();
  private final Map<String, List<ScheduleInvoked>> nameless = new HashMap<>();
  private final Map<String, Long> doubtfulClaims;
  private final Map<String, Long> doubtfulAtMostOnce;
  private final Invocations invocations;
  private final LostClaims lostClaims;

  IdHistories(List<List<HistoryEvent>> processes, Invocations invocations, LostClaims lostClaims) {
    this.invocations = invocations;
    this.lostClaims = lostClaims;
    doubtfulClaims = invocations.doubtfulClaims(false);
    doubtfulAtMostOnce = invocations.doubtfulClaims(true);
    for (int process = 0; process < processes.size(); process++) {
      for (HistoryEvent event : processes.get(process)) {
        collect(process, event);
      }
    }
    for (int process = 0; process < processes.size(); process++) {
      collectInventories(process, processes.get(process));
    }
  }

  private record Id(String queue, String id) {}

  private record Tracked(String track, Step step) {}

  /** Finds the steps of each id that break the rules, and adds them to the report. */
  void explain(HistoryReport.Builder report) {
    for (Map.Entry<Id, Map<String, List<Step>>> entry : ids.entrySet()) {
      Id id = entry.getKey();
      Map<String, List<Step>> tracks = entry.getValue();
      tracks.values().forEach(track -> track.sort(Comparator.comparingLong(IdHistories::op)));
      addQueueWide(id, tracks);
      List<Explanation.Broken> broken = explain(id, tracks);
      if (broken == null) {
        report.undecided(id.queue, id.id);
      } else {
        broken.forEach(one -> report.add(one.breach(), id.queue, id.id, one.step().describe()));
      }
    }
  }

  private void collect(int process, HistoryEvent event) {
    if (event instanceof Claimed claimed) {
      collectClaim(process, claimed);
    } else if (event instanceof Invocation invocation) {
      Fate fate = invocations.fate(process, invocation.op());
      if (!fate.isNotDone()) {
        collect(process, invocation, fate);
      }
    }
  }

  /** Adds a claim once, because two answers to the same claim report the same lease. */
  private void collectClaim(int process, Claimed claimed) {
    Invocation invoked = invocations.fate(process, claimed.op()).invocation;
    List<Step> track = track(new Id(claimed.queue(), claimed.id()), process + " claims");
    boolean known =
        track.stream()
            .anyMatch(step -> step.event() instanceof Claimed c && c.op() == claimed.op());
    if (!known) {
      track.add(new Step(claimed, null, invoked.at(), claimed.at()));
    }
  }

  private void collect(int process, Invocation invocation, Fate fate) {
    HistoryEvent.Answer answer = fate.answer();
    long to = answer == null ? Step.NEVER : answer.at();
    Step step = new Step(invocation, answer, invocation.at(), to);
    String id = id(invocation, fate);
    String track = process + " " + thread(invocation);
    if (id != null) {
      track(new Id(invocation.queue(), id), track).add(step);
    } else if (invocation instanceof PurgeInvoked || invocation instanceof RedriveAllInvoked) {
      queueWide
          .computeIfAbsent(invocation.queue(), q -> new ArrayList<>())
          .add(new Tracked(track + " all " + invocation.op(), step));
    } else if (invocation instanceof ScheduleInvoked schedule) {
      nameless.computeIfAbsent(schedule.queue(), q -> new ArrayList<>()).add(schedule);
    }
  }

  /**
   * Returns the number by which steps of a track are ordered. The claims of a process are numbered
   * in the order of sending, and so are its settlements and the calls of a thread. An inventory has
   * no number; its time orders it. Claims have a track of their own, because some stores execute
   * claims and settlements at the same time.
   */
  private static long op(Step step) {
    if (step.event() instanceof Claimed claimed) {
      return claimed.op();
    }
    return step.event() instanceof Invocation invocation ? invocation.op() : step.from();
  }

  private static @Nullable String id(Invocation invocation, Fate fate) {
    if (invocation instanceof ScheduleInvoked schedule) {
      return schedule.id() == null ? fate.madeId() : schedule.id();
    } else if (invocation instanceof CancelInvoked cancel) {
      return cancel.id();
    } else if (invocation instanceof RescheduleInvoked reschedule) {
      return reschedule.id();
    } else if (invocation instanceof RunNowInvoked runNow) {
      return runNow.id();
    } else if (invocation instanceof RedriveInvoked redrive) {
      return redrive.id();
    } else if (invocation instanceof DeleteDeadInvoked delete) {
      return delete.id();
    } else if (invocation instanceof SettlementInvoked settlement) {
      return settlement.id();
    }
    return null;
  }

  private static String thread(Invocation invocation) {
    if (invocation instanceof ScheduleInvoked schedule) {
      return "thread " + schedule.thread();
    } else if (invocation instanceof CancelInvoked cancel) {
      return "thread " + cancel.thread();
    } else if (invocation instanceof RescheduleInvoked reschedule) {
      return "thread " + reschedule.thread();
    } else if (invocation instanceof RunNowInvoked runNow) {
      return "thread " + runNow.thread();
    } else if (invocation instanceof RedriveInvoked redrive) {
      return "thread " + redrive.thread();
    } else if (invocation instanceof DeleteDeadInvoked delete) {
      return "thread " + delete.thread();
    }
    return "store";
  }

  private List<Step> track(Id id, String track) {
    return ids.computeIfAbsent(id, key -> new LinkedHashMap<>())
        .computeIfAbsent(track, key -> new ArrayList<>());
  }

  private void collectInventories(int process, List<HistoryEvent> events) {
    InventoryBegan began = null;
    Map<String, Found> found = new HashMap<>();
    for (HistoryEvent event : events) {
      if (event instanceof InventoryBegan begins) {
        began = begins;
        found.clear();
      } else if (event instanceof Found one) {
        found.put(one.id(), one);
      } else if (event instanceof InventoryEnded ended && began != null) {
        addInventory(process, began, found, ended);
      }
    }
  }

  private void addInventory(
      int process, InventoryBegan began, Map<String, Found> found, InventoryEnded ended) {
    Set<String> all = new HashSet<>(found.keySet());
    ids.keySet().stream()
        .filter(id -> id.queue.equals(began.queue()))
        .forEach(id -> all.add(id.id));
    for (String id : all) {
      Found one = found.get(id);
      HistoryEvent event = one == null ? began : one;
      track(new Id(began.queue(), id), process + " inventory")
          .add(new Step(event, null, began.at(), ended.at()));
    }
  }

  private void addQueueWide(Id id, Map<String, List<Step>> tracks) {
    for (Tracked tracked : queueWide.getOrDefault(id.queue, List.of())) {
      tracks.computeIfAbsent(tracked.track, key -> new ArrayList<>()).add(tracked.step);
    }
  }

  /**
   * Explains the history of an id. An id without a recorded schedule may have been generated by an
   * unanswered schedule that was invoked before the answer to the first claim of the id. Taking the
   * latest such schedule leaves the most schedules to other ids.
   */
  private @Nullable List<Explanation.Broken> explain(Id id, Map<String, List<Step>> tracks) {
    List<List<Step>> known = new ArrayList<>(tracks.values());
    List<Explanation.Broken> broken = explanation(id, known).search();
    boolean isBroken = broken == null || !broken.isEmpty();
    ScheduleInvoked origin = isBroken && !isScheduled(known) ? origin(id, known) : null;
    if (origin == null) {
      return broken;
    }
    known.add(List.of(by(origin, id)));
    return explanation(id, known).search();
  }

  /**
   * Removes and returns the schedule that may have generated the id, or returns null if there is
   * none.
   */
  private @Nullable ScheduleInvoked origin(Id id, List<List<Step>> tracks) {
    long claimed =
        tracks.stream()
            .flatMap(List::stream)
            .filter(step -> step.event() instanceof Claimed)
            .mapToLong(Step::to)
            .min()
            .orElse(Step.NEVER);
    List<ScheduleInvoked> candidates = nameless.getOrDefault(id.queue, new ArrayList<>());
    Optional<ScheduleInvoked> latest =
        candidates.stream()
            .filter(schedule -> schedule.at() < claimed)
            .max(Comparator.comparingLong(ScheduleInvoked::at));
    latest.ifPresent(candidates::remove);
    return latest.orElse(null);
  }

  private Explanation explanation(Id id, List<List<Step>> tracks) {
    return new Explanation(
        tracks,
        doubtfulClaims.getOrDefault(id.queue, Step.NEVER),
        doubtfulAtMostOnce.getOrDefault(id.queue, Step.NEVER),
        lostClaims);
  }

  private static boolean isScheduled(List<List<Step>> tracks) {
    return tracks.stream()
        .flatMap(List::stream)
        .anyMatch(step -> step.event() instanceof ScheduleInvoked);
  }

  private static Step by(ScheduleInvoked origin, Id id) {
    return new Step(
        new ScheduleInvoked(
            origin.at(), origin.op(), origin.thread(), id.queue, id.id, origin.mode(), true, 0),
        null,
        origin.at(),
        Step.NEVER);
  }
}
