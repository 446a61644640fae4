package io.punctual.benchmarks.queue;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.sonus21.rqueue.annotation.RqueueListener;
import io.punctual.benchmarks.Effort;
import io.punctual.benchmarks.RedisServer;
import io.punctual.benchmarks.Subject;
import io.punctual.benchmarks.Trial;
import io.punctual.benchmarks.TrialOutcome;
import io.punctual.kit.redis.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.quartz.Trigger;
import org.redisson.Redisson;

/** The queues: every trial begins with an empty store and has its own processes. */
public final class QueueSubject implements Subject {
  /** The rate, in messages per second, at which the estimates assume that a queue is filled. */
  private static final int FILL_RATE = 20_000;

  /**
   * An additional rate for databases, in messages per second; lower than the highest rates for all
   * queues.
   */
  private static final int DATABASE_RATE = 1_000;

  private final Effort effort;
  private final RedisProcess redis;
  private final String redisVersion;
  private final QueueTrials work;

  /**
   * Advice on a better Redis server. Read before the trials: after the trials, a contender's script
   * may still block the server.
   */
  private final List<String> redisAdvice;

  private final List<Trial> trials = new ArrayList<>();

  /** The work of a trial. */
  @FunctionalInterface
  private interface Work {
    TrialOutcome run(QueueKind kind) throws Exception;
  }

  private QueueSubject(Effort effort, RedisProcess redis) {
    this.effort = effort;
    this.redis = redis;
    redisVersion = RedisServer.describe(redis);
    redisAdvice = RedisServer.advice(redis);
    work =
        new QueueTrials(
            redis,
            effort.choose(0, 30),
            effort.choose(Duration.ofSeconds(20), Duration.ofSeconds(60)));
    plan();
  }

  /** Starts the Redis server that all trials share. Each trial starts its other servers itself. */
  public static QueueSubject open(Effort effort) {
    RedisProcess redis = RedisServer.start();
    return new QueueSubject(effort, redis);
  }

  @Override
  public List<Trial> trials() {
    return trials;
  }

  private void plan() {
    int millis = effort.choose(250, 2_000);
    for (int backlog : effort.choose(new int[] {10_000}, new int[] {0, 100_000, 1_000_000})) {
      int seconds = 3 + 24 * millis / 1_000 + backlog / FILL_RATE;
      add(
          this::isWorthWhile,
          "schedule and cancel",
          backlog,
          seconds,
          kind -> work.rates(kind, backlog, millis));
    }
    for (int count : effort.choose(new int[] {5_000}, new int[] {10_000, 100_000, 1_000_000})) {
      int seconds = effort.choose(5, 35) + 2 * count / FILL_RATE;
      add(
          kind -> !kind.isForTakesOnly(),
          "drain, all due at once",
          count,
          seconds,
          kind -> work.drain(kind, count));
    }
    int elements = effort.choose(2_000, 100_000);
    for (int threads : new int[] {1, 8}) {
      add(
          QueueKind::isBlockingQueue,
          String.format(
              Locale.ROOT, "take, all due, %d thread%s", threads, threads == 1 ? "" : "s"),
          elements,
          effort.choose(5, 45),
          kind -> work.takes(kind, elements, threads));
    }
    for (int rate : effort.choose(new int[] {500}, new int[] {500, DATABASE_RATE, 5_000, 10_000})) {
      for (int backlog : effort.choose(new int[] {0}, new int[] {0, 100_000, 1_000_000})) {
        int length = effort.choose(2, 20);
        int seconds = length + effort.choose(9, 40) + backlog / FILL_RATE;
        add(
            kind ->
                isWorthWhile(kind)
                    && (backlog == 0 || !kind.isInOrder())
                    && (rate != DATABASE_RATE || kind.backend().isDatabase()),
            String.format(Locale.ROOT, "steady %,d/s", rate),
            backlog,
            seconds,
            kind -> work.steady(kind, backlog, rate, length));
      }
    }
    add(
        kind -> isWorthWhile(kind) && kind.backend() != Backend.MEMORY,
        "kill -9 of a consumer with 8 handlers",
        -1,
        14,
        work::killed);
  }

  /**
   * Returns whether trials other than drains and takes include this kind. They omit the kinds that
   * differ in takes only. A quick run also omits the kinds on servers that are slow to start, so
   * that it starts such a server for the drains only.
   */
  private boolean isWorthWhile(QueueKind kind) {
    return !kind.isForTakesOnly() && (effort == Effort.FULL || !kind.backend().isSlowToStart());
  }

  private void add(
      Predicate<QueueKind> filter, String workload, long size, int seconds, Work trial) {
    Duration expected = Duration.ofSeconds(seconds);
    for (QueueKind kind : QueueKind.values()) {
      if (filter.test(kind) && isInstalled(kind)) {
        trials.add(new Trial(workload, size, kind.title(), expected, () -> trial.run(kind)));
      }
    }
  }

  static boolean isInstalled(QueueKind kind) {
    return kind.programs().stream().allMatch(program -> program.find().isPresent());
  }

  @Override
  public List<String> leftOut() {
    List<String> lines = new ArrayList<>(redisAdvice);
    for (QueueKind kind : QueueKind.values()) {
      kind.programs().stream()
          .filter(program -> program.find().isEmpty())
          .findFirst()
          .ifPresent(program -> lines.add(kind.title() + ": " + program.missing()));
    }
    return lines;
  }

  @Override
  public List<String> versions() {
    List<String> versions = new ArrayList<>();
    versions.add(redisVersion);
    versions.add("Redisson " + implementation(Redisson.class));
    versions.add("BullMQ " + BullMqProcess.version());
    versions.add("Rqueue " + versionInName(RqueueListener.class));
    for (Program program : Program.values()) {
      if (program.find().isPresent()) {
        versions.add(program.file() + " " + program.version());
      }
    }
    versions.add("db-scheduler " + versionInName(Scheduler.class));
    versions.add("JobRunr " + versionInName(JobRequestScheduler.class));
    versions.add("Quartz " + versionInName(Trigger.class));
    versions.add("JDK " + Runtime.version());
    return versions;
  }

  /** Reads the version from the file's name, because the manifest lacks it. */
  private static String versionInName(Class<?> type) {
    String file = String.valueOf(type.getProtectionDomain().getCodeSource().getLocation());
    return file.replaceAll(".*-(\\d[^/]*)\\.jar", "$1");
  }

  /** Only queues that use the same server: a queue in memory is faster than any server. */
  @Override
  public boolean isPictured(String contender) {
    return Arrays.stream(QueueKind.values())
        .anyMatch(kind -> kind.title().equals(contender) && kind.backend() == Backend.REDIS);
  }

  private static String implementation(Class<?> type) {
    return String.valueOf(type.getPackage().getImplementationVersion());
  }

  @Override
  public void close() {
    redis.close();
  }
}
