package io.punctual.kit.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The recorded events of all processes of a run. Immutable.
 *
 * <pre>{@code
 * HistoryReport report = History.read(files).check();
 * assertThat(report.breaches()).as(report.toString()).isEmpty();
 * }</pre>
 */
public final class History {
  private final List<List<HistoryEvent>> processes;
  private final LostClaims lostClaims;

  private History(List<List<HistoryEvent>> processes, LostClaims lostClaims) {
    this.processes = processes;
    this.lostClaims = lostClaims;
  }

  /**
   * Returns the history of these processes.
   *
   * @param processes the events of each process, in the order of their recording
   */
  public static History of(List<List<HistoryEvent>> processes) {
    return new History(processes.stream().map(List::copyOf).toList(), LostClaims.NONE);
  }

  /**
   * Reads the files of a run, a file for each process. Ignores a last line without a line feed: the
   * process was killed while it wrote the event. If the event announces an action, the action had
   * not begun.
   *
   * @throws IllegalArgumentException if a line is not an event
   */
  public static History read(List<Path> files) {
    return new History(files.stream().map(History::events).toList(), LostClaims.NONE);
  }

  /**
   * Returns this history with a crash of a store that confirms claims before they are durable.
   * Claims of the last second before the crash may be lost without a breach, except claims for
   * at-most-once delivery. The messages of a lost claim are as they were before it.
   *
   * @param from the earliest time of the crash, in {@link System#nanoTime}
   * @param to the latest time of the crash
   */
  public History withCrash(long from, long to) {
    List<LostClaims.Crash> crashes = new ArrayList<>(lostClaims.crashes());
    crashes.add(new LostClaims.Crash(from, to));
    return new History(processes, new LostClaims(crashes));
  }

  private static List<HistoryEvent> events(Path file) {
    List<HistoryEvent> events = new ArrayList<>();
    String text;
    try {
      text = Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("Can't read the history " + file, e);
    }
    int from = 0;
    for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      events.add(LineFormat.read(text.substring(from, end)));
      from = end + 1;
    }
    return List.copyOf(events);
  }

  /**
   * Checks the run. The start of a handler after the deadline is no breach if the delivery reported
   * the lost lease, because a machine may pause between the client's check and the handler's first
   * instruction.
   */
  public HistoryReport check() {
    return check(false);
  }

  /**
   * Checks the run like {@link #check()}, but counts every start of a handler after the deadline,
   * or after a refused settlement, as a breach. For runs in which no time passes between the
   * client's check and the handler's first step, such as a simulation.
   */
  public HistoryReport checkStrictly() {
    return check(true);
  }

  /**
   * Counts how often the ids were handled, and the leases that were lost.
   *
   * @param killed the names of the processes that were killed
   */
  public Handlings handlings(Set<String> killed) {
    return new HandlingTally(killed).count(processes);
  }

  /** Returns the ids whose schedule was answered, each with the time of its last answer. */
  public Map<String, Long> confirmed() {
    Map<String, Long> confirmed = new HashMap<>();
    for (List<HistoryEvent> process : processes) {
      for (HistoryEvent event : process) {
        if (event instanceof HistoryEvent.ScheduleAnswered answered) {
          confirmed.merge(answered.id(), answered.at(), Math::max);
        }
      }
    }
    return confirmed;
  }

  private HistoryReport check(boolean strictly) {
    HistoryReport.Builder report = new HistoryReport.Builder();
    Invocations invocations = Invocations.of(processes);
    new IdHistories(processes, invocations, lostClaims).explain(report);
    for (List<HistoryEvent> process : processes) {
      new Handovers(strictly, report).check(process);
    }
    Tally.count(processes, invocations, report);
    report.longestSilence(new Silence(processes).longest());
    return report.build();
  }
}
