package io.punctual.kit.repeat;

import io.punctual.Counts;
import io.punctual.Message;
import io.punctual.PunctualException;
import io.punctual.Scheduled;
import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.kit.history.Handlings;
import io.punctual.kit.history.History;
import io.punctual.kit.history.HistoryReport;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Three producers that schedule the same ids again and again, and three workers, each in a process
 * of its own. All ids are remembered for longer than the run. For a single thread.
 */
public final class RepeatRun implements AutoCloseable {
  private static final int PROCESSES = 3;
  private static final int CHUNK = 100;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);

  private final Path directory;
  private final String url;
  private final Random random;
  private final long begin = System.nanoTime();
  private final List<RoleProcess> running = new ArrayList<>();
  private final List<Path> histories = new ArrayList<>();
  private final Set<String> killed = new HashSet<>();
  private final List<Crash> crashes = new ArrayList<>();

  /** The time of a crash of the store, in {@link System#nanoTime}. */
  private record Crash(long from, long to) {}

  /**
   * The result of a run.
   *
   * @param report the result of the check of all histories
   * @param handlings how often the ids were handled, and the leases that were lost
   * @param ids the number of scheduled ids
   * @param counts the counts of the queue at the end
   * @param kept the number of ids that the store remembered, according to the outcomes of a final
   *     schedule of each id
   */
  public record Result(
      HistoryReport report, Handlings handlings, int ids, Counts counts, int kept) {
    /**
     * Returns the broken promises: the histories must be correct, each id must be handled once, and
     * again only after a lost lease, and the store must remember the id at the end. Empty if no
     * promise was broken.
     */
    public List<String> breaches() {
      List<String> found = new ArrayList<>();
      check(found, report.isClean(), "the history checker found breaches");
      check(found, handlings.ids() == ids, "not all ids were handled");
      check(found, handlings.again() <= handlings.leasesLost(), "more repetitions than losses");
      check(found, handlings.unexplained().isEmpty(), "repetitions without a lost lease");
      check(found, counts.equals(new Counts(0, 0, 0, 0, ids, false)), "the queue has " + counts);
      check(found, kept == ids, "the store remembered only " + kept + " ids");
      return found;
    }

    private static void check(List<String> found, boolean holds, String breach) {
      if (!holds) {
        found.add(breach);
      }
    }

    @Override
    public String toString() {
      return "%d ids scheduled %d times; %s%n%s"
          .formatted(ids, report.scheduled(), handlings, report);
    }
  }

  private RepeatRun(Path directory, String url, long seed) {
    this.directory = directory;
    this.url = url;
    random = new Random(seed);
  }

  /**
   * Starts the processes, and waits until all of them have reached the store.
   *
   * @param directory a folder for histories and logs
   * @param url the URL of a store whose module is on the class path
   * @param seed determines the random choices, except the durations of the handlers
   */
  public static RepeatRun start(Path directory, String url, long seed) {
    RepeatRun run = new RepeatRun(directory, url, seed);
    try {
      for (int i = 0; i < PROCESSES; i++) {
        run.start(true);
        run.start(false);
      }
      run.awaitReady();
      return run;
    } catch (RuntimeException | Error e) {
      run.close();
      throw e;
    }
  }

  private void start(boolean produces) {
    String name = (produces ? "produce-" : "work-") + histories.size();
    RepeatRole role = new RepeatRole(name, produces, begin, random.nextLong());
    RoleProcess process = new RoleProcess(role, url, directory);
    running.add(process);
    histories.add(process.history());
  }

  private void awaitReady() {
    await("processes that are ready", () -> running.stream().allMatch(RoleProcess::isReady));
  }

  private static void await(String what, BooleanSupplier condition) {
    long from = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - from > PATIENCE_NANOS) {
        throw new AssertionError("Not within two minutes: " + what);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  /** Kills a random producer and a random worker, and starts a new process in place of each. */
  public void killOneOfEach() {
    awaitReady();
    for (boolean produces : new boolean[] {true, false}) {
      List<RoleProcess> choice =
          running.stream().filter(one -> one.role().produces() == produces).toList();
      RoleProcess victim = choice.get(random.nextInt(choice.size()));
      victim.kill();
      running.remove(victim);
      killed.add(victim.role().name());
      start(produces);
    }
  }

  /**
   * Runs an action that kills a server of the store. The store may lose claims of the last second.
   */
  public void crash(Crashing action) throws Exception {
    long from = System.nanoTime();
    action.run();
    crashes.add(new Crash(from, System.nanoTime()));
  }

  /** An action that kills a server of the store. */
  public interface Crashing {
    /** Kills the server, and returns when the store answers again. */
    void run() throws Exception;
  }

  /**
   * Ends the producers, schedules each id once more, waits until all messages are handled, and ends
   * the workers. Then schedules each id again, to count the remembered ids, and checks the
   * histories of all processes.
   */
  public Result finish() {
    end(true);
    Path history = directory.resolve("judge.history");
    histories.add(history);
    int ids = RepeatRole.ids(begin);
    Counts counts;
    int kept;
    try (RepeatRole.Client judge = RepeatRole.Client.open(url, history, "judge")) {
      TimedQueue<String> queue = judge.queue();
      int unused = scheduleAll(queue, ids);
      await("an empty queue", () -> isEmpty(queue));
      end(false);
      kept = scheduleAll(queue, ids);
      counts = queue.counts();
      judge.recording().inventory(queue);
    }
    History all = History.read(histories);
    for (Crash crash : crashes) {
      all = all.withCrash(crash.from(), crash.to());
    }
    return new Result(all.check(), all.handlings(killed), ids, counts, kept);
  }

  private void end(boolean producers) {
    awaitReady();
    List<RoleProcess> ended =
        running.stream().filter(one -> one.role().produces() == producers).toList();
    ended.forEach(RoleProcess::end);
    running.removeAll(ended);
  }

  /** Schedules each id, and returns the number of ids that the store remembers. */
  private static int scheduleAll(TimedQueue<String> queue, int ids) {
    int kept = 0;
    for (int from = 0; from < ids; from += CHUNK) {
      List<Message<String>> messages = new ArrayList<>();
      for (int id = from; id < Math.min(ids, from + CHUNK); id++) {
        messages.add(RepeatRole.message(id));
      }
      for (Scheduled scheduled : queue.scheduleAll(messages)) {
        boolean isDone = scheduled.previous().filter(state -> state == State.FINISHED).isPresent();
        kept += isDone && !scheduled.isStored() ? 1 : 0;
      }
    }
    return kept;
  }

  private static boolean isEmpty(TimedQueue<?> queue) {
    try {
      Counts counts = queue.counts();
      return counts.scheduled() + counts.ready() + counts.leased() == 0;
    } catch (PunctualException repeated) {
      return false;
    }
  }

  /** Kills the processes that still run. */
  @Override
  public void close() {
    running.forEach(RoleProcess::close);
  }
}
