package io.punctual.benchmarks.redis;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.benchmarks.RedisServer;
import io.punctual.benchmarks.Sample;
import io.punctual.benchmarks.TrialOutcome;
import io.punctual.kit.redis.RedisProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.HdrHistogram.Histogram;

/**
 * Measures a queue with many messages that are due in the same millisecond: the time until all
 * messages are settled, the number of scripts that take more than 5 ms, and the lateness of
 * messages of a second queue.
 */
final class Herd implements AutoCloseable {
  private static final int CONCURRENCY = 64;
  private static final int OTHER_CONCURRENCY = 16;
  private static final int OTHER_WARM_UP = 20;
  private static final int FILL_RATE = 10_000;

  private final int messages;
  private final RedisProcess redis =
      RedisProcess.builder().installed().config("slowlog-log-slower-than", "5000").start();
  private final WorkerProcesses workers =
      WorkerProcesses.startQuiet(1, redis.url(), CONCURRENCY, "herd");
  private final WorkerProcesses others =
      WorkerProcesses.start(1, redis.url(), OTHER_CONCURRENCY, "other");
  private final Punctual punctual = Punctual.open(redis.url());
  private final TimedQueue<String> queue = punctual.queue("herd", Codec.string());
  private final Trickle trickle =
      new Trickle(
          punctual.queue("other", Codec.string()),
          Duration.ofMillis(20),
          Duration.ofMillis(99),
          Duration.ofMillis(100));

  private Herd(int messages) throws Exception {
    this.messages = messages;
  }

  static TrialOutcome measure(int messages) throws Exception {
    try (Herd herd = new Herd(messages)) {
      herd.warmUp();
      return herd.measure();
    }
  }

  private void warmUp() throws InterruptedException {
    QueueLoad.schedule(queue, messages / 4, Instant.now());
    QueueLoad.awaitSettled(queue);
    trickle.schedule(OTHER_WARM_UP);
    var unused = others.awaitDeliveries(OTHER_WARM_UP);
  }

  private TrialOutcome measure() throws InterruptedException {
    Instant due = Instant.now().plusSeconds(Math.max(5, messages / FILL_RATE));
    QueueLoad.schedule(queue, messages, due);
    redis.ask("SLOWLOG", "RESET");
    CommandStats stats = new CommandStats(List.of(redis));
    stats.reset();
    double server = RedisServer.cpuSeconds(redis);
    double worker = workers.cpuSeconds();
    AtomicBoolean isOver = new AtomicBoolean();
    CompletableFuture<Integer> trickled =
        CompletableFuture.supplyAsync(() -> trickle.scheduleWhile(count -> !isOver.get()));
    QueueLoad.awaitSettled(queue);
    double millis = Duration.between(due, Instant.now()).toNanos() / 1e6;
    isOver.set(true);
    List<Sample> samples = new ArrayList<>();
    samples.add(Sample.cost("settled after", "ms", millis));
    samples.add(Sample.cost("scripts above 5 ms", "scripts", slowScripts()));
    samples.add(Sample.rate("messages of a script", "messages", 2 * messages / stats.scripts()));
    samples.add(time("server time of a message", RedisServer.cpuSeconds(redis) - server));
    samples.add(time("worker time of a message", workers.cpuSeconds() - worker));
    addLateness(samples, others.awaitDeliveries(trickled.join()));
    return new TrialOutcome(samples, null, null);
  }

  private double slowScripts() {
    return Double.parseDouble(String.valueOf(redis.ask("SLOWLOG", "LEN")));
  }

  private Sample time(String metric, double seconds) {
    return Sample.cost(metric, "µs", seconds * 1e6 / messages);
  }

  private static void addLateness(List<Sample> samples, Histogram micros) {
    for (double percentile : new double[] {50, 99, 100}) {
      String metric = String.format(Locale.ROOT, "lateness of the other queue, p%.0f", percentile);
      samples.add(Sample.cost(metric, "ms", micros.getValueAtPercentile(percentile) / 1e3));
    }
  }

  @Override
  public void close() throws InterruptedException {
    punctual.close();
    workers.close();
    others.close();
    redis.close();
  }
}
