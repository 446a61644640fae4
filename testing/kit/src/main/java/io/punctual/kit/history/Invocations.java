package io.punctual.kit.history;

import io.punctual.kit.history.HistoryEvent.Answer;
import io.punctual.kit.history.HistoryEvent.ClaimInvoked;
import io.punctual.kit.history.HistoryEvent.Doubt;
import io.punctual.kit.history.HistoryEvent.Failed;
import io.punctual.kit.history.HistoryEvent.Invocation;
import io.punctual.kit.history.HistoryEvent.ScheduleAnswered;
import io.punctual.kit.history.HistoryEvent.SentAgain;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The recorded results of all invocations, by process and number. Immutable after construction. */
final class Invocations {
  private final List<Map<Long, Fate>> processes = new ArrayList<>();

  private Invocations() {}

  /** An invocation and its recorded results. */
  static final class Fate {
    final Invocation invocation;
    private @Nullable Answer answer;
    private @Nullable String id;
    private int sent = 1;
    private int notDone;

    private Fate(Invocation invocation) {
      this.invocation = invocation;
    }

    @Nullable Answer answer() {
      return answer;
    }

    /**
     * Returns the id that the client generated for a schedule, or null if the history does not show
     * it.
     */
    @Nullable String madeId() {
      return id;
    }

    /** Returns whether the invocation certainly had no effect. */
    boolean isNotDone() {
      return answer == null && sent == notDone;
    }

    /** Returns whether the invocation may have had an effect that no answer shows. */
    boolean isDoubtful() {
      return answer == null ? !isNotDone() : sent > notDone + 1;
    }

    private void add(HistoryEvent event) {
      if (event instanceof Answer first && answer == null) {
        answer = first;
        id = event instanceof ScheduleAnswered scheduled ? scheduled.id() : id;
      } else if (event instanceof SentAgain) {
        sent++;
      } else if (event instanceof Failed failed) {
        notDone += failed.doubt() == Doubt.NOT_DONE ? 1 : 0;
        id = failed.id() == null ? id : failed.id();
      }
    }
  }

  static Invocations of(List<List<HistoryEvent>> processes) {
    Invocations all = new Invocations();
    for (List<HistoryEvent> process : processes) {
      Map<Long, Fate> fates = new HashMap<>();
      for (HistoryEvent event : process) {
        if (event instanceof Invocation invocation) {
          fates.put(invocation.op(), new Fate(invocation));
        } else {
          fate(fates, event).ifPresent(fate -> fate.add(event));
        }
      }
      all.processes.add(fates);
    }
    return all;
  }

  private static java.util.Optional<Fate> fate(Map<Long, Fate> fates, HistoryEvent event) {
    if (event instanceof Answer answer) {
      return java.util.Optional.ofNullable(fates.get(answer.op()));
    } else if (event instanceof SentAgain again) {
      return java.util.Optional.ofNullable(fates.get(again.op()));
    } else if (event instanceof Failed failed) {
      return java.util.Optional.ofNullable(fates.get(failed.op()));
    }
    return java.util.Optional.empty();
  }

  Fate fate(int process, long op) {
    Fate fate = processes.get(process).get(op);
    if (fate == null) {
      throw new IllegalArgumentException("The history has no invocation for the answer " + op);
    }
    return fate;
  }

  /**
   * Returns, for each queue, the invocation time of the first claim with an answer that was lost or
   * slow.
   *
   * @param atMostOnce whether only claims for at-most-once delivery count
   */
  Map<String, Long> doubtfulClaims(boolean atMostOnce) {
    Map<String, Long> first = new HashMap<>();
    for (Map<Long, Fate> fates : processes) {
      for (Fate fate : fates.values()) {
        if (fate.invocation instanceof ClaimInvoked claim
            && (claim.atMostOnce() || !atMostOnce)
            && (fate.isDoubtful() || isSlow(claim, fate.answer()))) {
          first.merge(claim.queue(), claim.at(), Math::min);
        }
      }
    }
    return first;
  }

  /**
   * Returns whether the answer to a claim took at least as long as the lease. If its connection
   * breaks, a store repeats the claim within the call, and answers without the messages whose
   * leases have expired in the meantime.
   */
  private static boolean isSlow(ClaimInvoked claim, @Nullable Answer answer) {
    return answer != null
        && answer.at() - claim.at() >= TimeUnit.MILLISECONDS.toNanos(claim.leaseMillis());
  }
}
