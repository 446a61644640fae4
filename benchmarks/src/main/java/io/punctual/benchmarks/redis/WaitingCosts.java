package io.punctual.benchmarks.redis;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.benchmarks.Child;
import io.punctual.benchmarks.PartitionCalls;
import io.punctual.benchmarks.RedisServer;
import io.punctual.benchmarks.Sample;
import io.punctual.benchmarks.TrialOutcome;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.redis.RedisStore;
import io.punctual.spi.DueTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.HdrHistogram.Histogram;

/** The costs of processes that wait for messages, and the lateness of the messages. */
final class WaitingCosts {
  private static final Pattern MEDIAN = Pattern.compile("usec_evalsha:p50=([\\d.]+)");

  /** The number of bursts of due messages, enough for every worker to warm up. */
  private static final int BURSTS = 10;

  private static final int CONCURRENCY = 16;
  private static final Duration GAP = Duration.ofMillis(100);
  private static final int PER_SECOND = 10;
  private static final int SCHEDULES = 1000;
  private static final long SETTLE_MILLIS = 3000;

  private WaitingCosts() {}

  /**
   * Measures idle workers on a queue with ten messages a second: the scripts for each message, and
   * the lateness of the messages. Then kills the worker of the last delivery, repeatedly, and
   * measures the lateness after each kill.
   */
  static TrialOutcome idleWorkers(int workers, int seconds, int kills) throws Exception {
    try (RedisProcess redis = RedisServer.start();
        WorkerProcesses processes =
            WorkerProcesses.start(workers, redis.url(), CONCURRENCY, "fleet");
        Punctual punctual = Punctual.open(redis.url())) {
      TimedQueue<String> queue = punctual.queue("fleet", Codec.string());
      for (int burst = 0; burst < BURSTS; burst++) {
        QueueLoad.schedule(queue, workers * 50, Instant.now().plusMillis(500));
        var unused = processes.awaitDeliveries(workers * 50);
      }
      Trickle trickle = new Trickle(queue, GAP, Duration.ofMillis(200), Duration.ofMillis(800));
      CommandStats stats = new CommandStats(List.of(redis));
      stats.reset();
      int messages = seconds * PER_SECOND;
      trickle.schedule(messages);
      Histogram late = processes.awaitDeliveries(messages);
      double checks = stats.calls("hget") / messages;
      return TrialOutcome.of(
          Sample.cost("scripts of a message", "calls", stats.scripts() / messages - checks),
          Sample.cost("safety checks of a message", "calls", checks),
          millis("lateness p50", late, 50),
          millis("lateness p99", late, 99),
          millis("lateness after a kill, at most", killed(processes, trickle, kills), 100));
    }
  }

  private static Histogram killed(WorkerProcesses processes, Trickle trickle, int kills)
      throws InterruptedException {
    Histogram late = new Histogram(3);
    for (int i = 0; i < kills; i++) {
      processes.killLast();
      trickle.schedule(PER_SECOND);
      late.add(processes.awaitDeliveries(PER_SECOND));
    }
    return late;
  }

  private static Sample millis(String metric, Histogram micros, double percentile) {
    return Sample.cost(metric, "ms", micros.getValueAtPercentile(percentile) / 1e3);
  }

  /**
   * Measures the server's time for a schedule with its hint, a notice that wakes waiting clients,
   * while {@code clients} clients wait.
   */
  static TrialOutcome hints(int clients) {
    ClientResources threads = DefaultClientResources.create();
    List<RedisStore> stores = new ArrayList<>();
    try (RedisProcess redis = RedisServer.start()) {
      for (int i = 0; i < clients; i++) {
        stores.add(waiting(redis.url(), threads));
      }
      RedisStore producer = RedisStore.builder().url(redis.url()).resources(threads).open();
      stores.add(producer);
      return hints(redis, PartitionCalls.open(producer, "fanout"));
    } finally {
      stores.forEach(RedisStore::close);
      var unused = threads.shutdown();
    }
  }

  private static RedisStore waiting(String url, ClientResources threads) {
    RedisStore store = RedisStore.builder().url(url).resources(threads).open();
    PartitionCalls calls = PartitionCalls.open(store, "fanout");
    CountDownLatch subscribed = new CountDownLatch(1);
    calls.partition().onWakeUp(until -> subscribed.countDown());
    try {
      subscribed.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted before the client waited", e);
    }
    var unused = calls.claim(PER_SECOND);
    return store;
  }

  /**
   * Schedules messages. Each message is due before all messages scheduled so far, so each schedule
   * sends a hint. The first round is a warm-up.
   */
  private static TrialOutcome hints(RedisProcess redis, PartitionCalls producer) {
    CommandStats stats = new CommandStats(List.of(redis));
    for (int round = 0; round < 2; round++) {
      stats.reset();
      for (int i = 0; i < SCHEDULES; i++) {
        int sooner = SCHEDULES * round + i;
        DueTime due = new DueTime(true, 100_000_000 - 1000L * sooner);
        var unused =
            producer.apply(List.of(PartitionCalls.schedule("m" + sooner, due, new byte[100])));
      }
    }
    double average = stats.micros("evalsha"::equals) / stats.calls("evalsha");
    List<Sample> samples = new ArrayList<>();
    samples.add(Sample.cost("average of a schedule", "µs", average));
    Matcher median = MEDIAN.matcher(String.valueOf(redis.ask("INFO", "latencystats")));
    if (median.find()) {
      samples.add(Sample.cost("median of a schedule", "µs", Double.parseDouble(median.group(1))));
    }
    samples.add(Sample.cost("notices published", "calls", stats.calls("publish", "spublish")));
    return new TrialOutcome(samples, null, null);
  }

  /** Measures a process with many queues and one pool of workers, while no messages are due. */
  static TrialOutcome tenants(int queues, int seconds) throws Exception {
    try (RedisProcess redis = RedisServer.start()) {
      Child child =
          Child.start(
              TenantsChild.class,
              List.of("-Xmx256m", "-XX:+UseSerialGC"),
              redis.url(),
              Integer.toString(queues));
      try {
        double threads = Double.parseDouble(child.expect());
        double heap = Double.parseDouble(child.expect());
        CommandStats stats = new CommandStats(List.of(redis));
        stats.reset();
        Thread.sleep(seconds * 1000L);
        double calls = stats.calls("evalsha", "eval", "script|load", "subscribe", "ping");
        return TrialOutcome.of(
            Sample.cost("threads of the process", "threads", threads),
            Sample.cost("used heap", "MiB", heap / (1 << 20)),
            Sample.cost("calls of the server", "calls/s", calls / seconds));
      } finally {
        child.kill();
      }
    }
  }

  /** Measures the calls of workers on queues without messages. */
  static TrialOutcome idleQueues(int queues, int processes, int seconds) throws Exception {
    String[] names = new String[queues];
    Arrays.setAll(names, i -> "idle-" + i);
    try (RedisProcess redis = RedisServer.start();
        WorkerProcesses unused = WorkerProcesses.startQuiet(processes, redis.url(), 1, names)) {
      CommandStats stats = new CommandStats(List.of(redis));
      Thread.sleep(SETTLE_MILLIS);
      stats.reset();
      Thread.sleep(seconds * 1000L);
      double calls = stats.calls("evalsha", "eval", "script|load", "subscribe", "ping");
      return TrialOutcome.of(Sample.cost("calls of the server", "calls/s", calls / seconds));
    }
  }
}
