package io.punctual.kit.kill;

import io.punctual.Counts;
import io.punctual.Message;
import io.punctual.Scheduled;
import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.kit.history.Handlings;
import io.punctual.kit.history.History;
import io.punctual.kit.history.HistoryReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The result of a run of {@link RememberedIds}.
 *
 * @param report the result of the check of all histories
 * @param handlings how often the ids were handled, and the leases that were lost
 * @param ids the number of scheduled ids
 * @param counts the counts of the queue at the end
 * @param kept the number of ids that the store remembered, according to the outcomes of a final
 *     schedule of each id
 */
public record RememberedVerdict(
    HistoryReport report, Handlings handlings, int ids, Counts counts, int kept) {
  private static final int CHUNK = 100;

  /**
   * Ends the producers, schedules each id once more, waits until all messages are handled, and ends
   * the workers. Then schedules each id again, to count the remembered ids.
   */
  static RememberedVerdict of(KillRun run, long begin) {
    AtomicInteger ids = new AtomicInteger();
    AtomicInteger kept = new AtomicInteger();
    List<Counts> counts = new ArrayList<>();
    History history =
        run.finish(
            queue -> {
              ids.set(RememberedIds.ids(begin));
              int unused = scheduleAll(queue, ids.get());
            },
            queue -> {
              kept.set(scheduleAll(queue, ids.get()));
              counts.add(queue.counts());
            });
    return new RememberedVerdict(
        history.check(), history.handlings(run.killed()), ids.get(), counts.get(0), kept.get());
  }

  /** Schedules each id, and returns the number of ids that the store remembers. */
  private static int scheduleAll(TimedQueue<String> queue, int ids) {
    int kept = 0;
    for (int from = 0; from < ids; from += CHUNK) {
      List<Message<String>> messages = new ArrayList<>();
      for (int id = from; id < Math.min(ids, from + CHUNK); id++) {
        messages.add(RememberedIds.message(id));
      }
      for (Scheduled scheduled : queue.scheduleAll(messages)) {
        boolean isDone = scheduled.previous().filter(state -> state == State.FINISHED).isPresent();
        kept += isDone && !scheduled.isStored() ? 1 : 0;
      }
    }
    return kept;
  }

  /**
   * Prints this result, and expects that the histories are correct, that each id was handled once,
   * and again only after a lost lease, and that the store remembers each id at the end.
   */
  public void expectClean() {
    System.out.println(this);
    expect(report.isClean(), "the history checker found breaches");
    expect(handlings.ids() > 0 && handlings.ids() == ids, "not all ids were handled");
    expect(handlings.again() <= handlings.leasesLost(), "more repetitions than losses");
    expect(handlings.unexplained().isEmpty(), "repetitions without a lost lease");
    expect(
        counts.finished() == ids && counts.pending() == 0 && counts.dead() == 0,
        "the queue has " + counts);
    expect(kept == ids, "the store remembered only " + kept + " ids");
  }

  private void expect(boolean holds, String breach) {
    if (!holds) {
      throw new AssertionError(breach + ": " + this);
    }
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%d ids scheduled %d times; %s%n%s",
        ids,
        report.scheduled(),
        handlings,
        report);
  }
}
