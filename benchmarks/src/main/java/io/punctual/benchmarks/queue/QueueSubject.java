package io.punctual.benchmarks.queue;

import io.punctual.benchmarks.Effort;
import io.punctual.benchmarks.Outcome;
import io.punctual.benchmarks.Subject;
import io.punctual.benchmarks.Trial;
import io.punctual.testkit.redis.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.redisson.Redisson;

/** The queues: every trial begins with an empty store, and has processes of its own. */
public final class QueueSubject implements Subject {
  /** How many messages a second any of them can be filled with, roughly. */
  private static final int FILL_RATE = 20_000;

  private static final List<QueueKind> ALL = List.of(QueueKind.values());
  private static final List<QueueKind> ON_REDIS =
      ALL.stream().filter(QueueKind::isOnRedis).toList();

  private final Effort effort;
  private final RedisProcess redis;
  private final QueueTrials work;
  private final List<Trial> trials = new ArrayList<>();

  /** A trial of one contender. */
  @FunctionalInterface
  private interface Work {
    Outcome run(QueueKind kind) throws Exception;
  }

  private QueueSubject(Effort effort, RedisProcess redis) {
    this.effort = effort;
    this.redis = redis;
    work = new QueueTrials(redis);
    plan();
  }

  /** Starts what the queues need. */
  public static QueueSubject open(Effort effort) {
    RedisProcess redis = RedisProcess.start();
    Object unused = redis.ask("CONFIG", "SET", "save", "");
    return new QueueSubject(effort, redis);
  }

  @Override
  public List<Trial> trials() {
    return trials;
  }

  private void plan() {
    int millis = effort.choose(250, 2_000);
    for (int backlog : effort.choose(new int[] {10_000}, new int[] {0, 100_000, 1_000_000})) {
      int seconds = 3 + 9 * millis / 1_000 + backlog / FILL_RATE;
      add(ALL, "schedule and cancel", backlog, seconds, kind -> work.rates(kind, backlog, millis));
    }
    for (int count : effort.choose(new int[] {5_000}, new int[] {10_000, 100_000, 1_000_000})) {
      int seconds = 5 + 2 * count / FILL_RATE;
      add(ALL, "drain, all due at once", count, seconds, kind -> work.drain(kind, count));
    }
    for (int rate : effort.choose(new int[] {500}, new int[] {500, 5_000, 10_000})) {
      for (int backlog : effort.choose(new int[] {0}, new int[] {0, 100_000, 1_000_000})) {
        int length = effort.choose(2, 20);
        int seconds = length + 9 + backlog / FILL_RATE;
        String workload = "steady %,d/s".formatted(rate);
        add(ALL, workload, backlog, seconds, kind -> work.steady(kind, backlog, rate, length));
      }
    }
    add(ON_REDIS, "kill -9 of a consumer with 8 handlers", -1, 14, work::killed);
  }

  private void add(List<QueueKind> kinds, String workload, long size, int seconds, Work trial) {
    Duration expected = Duration.ofSeconds(seconds);
    for (QueueKind kind : kinds) {
      trials.add(new Trial(workload, size, kind.title(), expected, () -> trial.run(kind)));
    }
  }

  @Override
  public List<String> leftOut() {
    return List.of();
  }

  @Override
  public List<String> versions() {
    return List.of(
        "Redis " + RedisInfo.field(redis, "server", "redis_version"),
        "Redisson " + Redisson.class.getPackage().getImplementationVersion(),
        "JDK " + Runtime.version());
  }

  @Override
  public void close() {
    redis.close();
  }
}
