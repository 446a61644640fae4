package io.punctual.kit.kill;

import io.punctual.Counts;
import io.punctual.PunctualException;
import io.punctual.TimedQueue;
import io.punctual.kit.history.History;
import io.punctual.kit.history.HistoryEvent.ScheduleInvoked;
import io.punctual.kit.process.JavaProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * A run of {@linkplain Role roles} in processes, which a test kills, or in threads of the test.
 * Many threads may start and kill processes at once; the other methods are for a single thread.
 *
 * <pre>{@code
 * try (KillRun run = new KillRun(directory, url, plan.seed())) {
 *   run.start(Handling.of(1));
 *   run.start(Traffic.endless());
 *   run.awaitReady();
 *   plan.repeat(Duration.ofSeconds(1), () -> run.replaceOne(Handling.class));
 *   run.judge().expectClean();
 * }
 * }</pre>
 */
public final class KillRun implements AutoCloseable {
  /** The queue of each {@link RecordedClient}. */
  public static final String QUEUE = "faults";

  private final Path directory;
  private final String url;
  private final long seed;
  private final Random random;
  private final long beginNanos = System.nanoTime();
  private final List<Path> histories = new ArrayList<>();
  private final List<Member> members = new CopyOnWriteArrayList<>();
  private final Set<String> killed = ConcurrentHashMap.newKeySet();
  private final List<Crash> crashes = new ArrayList<>();
  private UnaryOperator<JavaProcess.Builder> options = builder -> builder;
  private boolean failsOver;

  /** The time of a crash of the store, in {@link System#nanoTime}. */
  private record Crash(long from, long to) {}

  /**
   * Creates a run without members.
   *
   * @param directory a folder for histories
   * @param url the URL of the store, whose module is on the class path
   * @param seed determines the random choices
   */
  public KillRun(Path directory, String url, long seed) {
    this.directory = directory;
    this.url = url;
    this.seed = seed;
    random = new Random(seed);
  }

  private synchronized Stage stage(Role role, Runnable ready) {
    String kind = role.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    String name = kind + "-" + histories.size();
    return new Stage(name, url, addHistory(name), seed + histories.size() - 1, ready);
  }

  private Path addHistory(String name) {
    Path history = directory.resolve(name + ".history");
    histories.add(history);
    return history;
  }

  /** Starts a role in a process. */
  public RoleProcess start(Role role) {
    RoleProcess started = RoleProcess.start(role, stage(role, () -> {}), options);
    members.add(started);
    return started;
  }

  /** Starts a role in a thread of the test, which costs less than a process. */
  public void startThread(Role role) {
    AtomicBoolean ready = new AtomicBoolean();
    members.add(new RoleThread(role, stage(role, () -> ready.set(true)), ready));
  }

  /**
   * Runs a role to its end, and archives the classes that it loaded. Processes that start later use
   * the archive, because the start of the JVM is the slowest part of a short life.
   */
  public void train(Role role) {
    ClassArchive archive = ClassArchive.in(directory);
    options = archive::write;
    RoleProcess training = start(role);
    training.awaitEnd();
    members.remove(training);
    options = archive::read;
  }

  /** Waits until all members are ready. */
  public void awaitReady() {
    await("members that are ready", () -> members.stream().allMatch(Member::isReady));
  }

  /** Waits until the members have scheduled this number of messages. */
  public void awaitScheduled(int messages) {
    await(
        messages + " messages",
        () ->
            members.stream().mapToLong(m -> m.stage().events(ScheduleInvoked.class)).sum()
                >= messages);
  }

  private static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + KillPlan.PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("Not within " + KillPlan.PATIENCE + ": " + what);
      }
      KillPlan.during(Duration.ofMillis(20));
    }
  }

  /** Kills a process at once, like {@code kill -9}. */
  public void kill(RoleProcess victim) {
    victim.process().kill();
    members.remove(victim);
    killed.add(victim.stage().name());
  }

  /** Kills a process after a time in which it must not end by itself. */
  public void killAfter(Duration life, RoleProcess victim) {
    KillPlan.during(life);
    victim.process().expectAlive();
    kill(victim);
  }

  /** Kills a random process with this kind of role, and starts the same role in a new process. */
  public void replaceOne(Class<? extends Role> kind) {
    awaitReady();
    List<RoleProcess> choice =
        members.stream()
            .filter(member -> kind.isInstance(member.role()))
            .map(RoleProcess.class::cast)
            .toList();
    RoleProcess victim = choice.get(random.nextInt(choice.size()));
    kill(victim);
    RoleProcess unused = start(victim.role());
  }

  /**
   * Runs an action that may crash the store. A crash may lose claims of the last second, because
   * stores confirm claims before they are durable.
   */
  public <E extends Exception> void crash(KillPlan.Fault<E> action) throws E {
    long from = System.nanoTime();
    action.inject();
    crashes.add(new Crash(from, System.nanoTime()));
  }

  /**
   * Declares that a replica takes over at an unknown time of the run. The replica may lack the last
   * claims, because no replica confirms claims.
   */
  public void expectFailOver() {
    failsOver = true;
  }

  /** Ends the producers, but waits for those that end by themselves. */
  public void endProducers() {
    end(Role::produces);
  }

  private void end(Predicate<Role> choice) {
    List<Member> ended = members.stream().filter(member -> choice.test(member.role())).toList();
    for (Member member : ended) {
      if (member.role().endsByItself()) {
        member.awaitEnd();
      } else {
        member.end();
      }
    }
    members.removeAll(ended);
  }

  /** Ends the run, and judges the histories of all members. */
  public Verdict judge() {
    return Verdict.of(finish(queue -> {}, queue -> {}));
  }

  /**
   * Ends the producers, waits until the queue has no message to handle, and ends the other members.
   * Returns the histories of all members and of the judge, which includes an inventory.
   *
   * @param beforeTheWait receives the queue of the judge after the end of the producers
   * @param atTheEnd receives the queue of the judge after the end of all members
   */
  History finish(
      Consumer<TimedQueue<String>> beforeTheWait, Consumer<TimedQueue<String>> atTheEnd) {
    endProducers();
    try (RecordedClient judge = RecordedClient.open(url, addHistory("judge"), "judge")) {
      TimedQueue<String> queue = judge.queue();
      beforeTheWait.accept(queue);
      await("an empty queue", () -> isEmpty(queue));
      end(role -> true);
      atTheEnd.accept(queue);
      judge.recording().inventory(queue);
    }
    return history();
  }

  private static boolean isEmpty(TimedQueue<?> queue) {
    try {
      Counts counts = queue.counts();
      return counts.scheduled() + counts.ready() + counts.leased() == 0;
    } catch (PunctualException repeated) {
      return false;
    }
  }

  private History history() {
    History history = History.read(histories);
    for (Crash crash : crashes) {
      history = history.withCrash(crash.from(), crash.to());
    }
    return failsOver ? history.withCrash(beginNanos, System.nanoTime()) : history;
  }

  /** Returns the names of the killed processes. */
  Set<String> killed() {
    return killed;
  }

  /** Kills the processes and interrupts the threads that still run. */
  @Override
  public void close() {
    members.forEach(Member::close);
  }
}
