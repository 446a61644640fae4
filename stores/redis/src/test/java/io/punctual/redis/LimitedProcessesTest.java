package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.QueueLimits;
import io.punctual.TimedQueue;
import io.punctual.kit.process.JavaProcess;
import io.punctual.kit.redis.RedisProcess;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests the limits of a queue with workers in four processes, by the server's clock. {@code
 * -Dpunctual.limits.seconds=60} sets the duration; the default is short.
 */
@Tag("extended")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class LimitedProcessesTest {
  private static final int SECONDS = Integer.getInteger("punctual.limits.seconds", 3);
  private static final int PROCESSES = 4;
  private static final int RATE = 200;
  private static final int BURST = 20;
  private static final int CONCURRENCY = 10;

  private final RedisProcess redis = RedisProcess.start();
  private final List<JavaProcess> processes = new ArrayList<>();
  private final Punctual punctual = Punctual.open(redis.url());
  private final TimedQueue<String> queue = punctual.queue(LimitedWorker.QUEUE, Codec.string());
  private final List<String> keys =
      new PartitionKeys("punctual", LimitedWorker.QUEUE, 0)
          .partition().stream().map(key -> new String(key, StandardCharsets.UTF_8)).toList();

  /** A reading of the server: its time, and the numbers of waiting and of leased messages. */
  private record Sample(long micros, long waiting, long leased) {}

  @BeforeEach
  void schedule() {
    for (int sent = 0; sent < RATE * (SECONDS + 60); sent += 1000) {
      queue.scheduleAll(IntStream.range(0, 1000).mapToObj(i -> Message.of("m")).toList());
    }
  }

  @AfterEach
  void stop() {
    processes.forEach(JavaProcess::close);
    punctual.close();
    redis.close();
  }

  private void start(long handlerMillis) {
    processes.add(
        JavaProcess.of(LimitedWorker.class)
            .small()
            .arguments(redis.url(), Long.toString(handlerMillis))
            .ready(LimitedWorker.READY)
            .start());
  }

  private Sample sample() {
    List<?> reply =
        (List<?>)
            redis.ask(
                "EVAL",
                "local t = redis.call('TIME') return {t[1] * 1000000 + t[2],"
                    + " redis.call('ZCARD', KEYS[1]), redis.call('ZCARD', KEYS[2])}",
                "2",
                keys.get(0),
                keys.get(1));
    assertThat(reply).isNotNull();
    return new Sample(number(reply, 0), number(reply, 1), number(reply, 2));
  }

  private static long number(List<?> reply, int index) {
    return Long.parseLong(String.valueOf(reply.get(index)));
  }

  /** Takes a sample of the server every few milliseconds. */
  private List<Sample> watch(long seconds) throws InterruptedException {
    List<Sample> samples = new ArrayList<>();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (System.nanoTime() < end) {
      samples.add(sample());
      TimeUnit.MILLISECONDS.sleep(5);
    }
    return samples;
  }

  @Test
  void rate_fourProcesses_neverAboveTheLimitAndTheBurst() throws Exception {
    queue.setLimits(QueueLimits.none().rate(RATE, Duration.ofSeconds(1), BURST));
    for (int i = 0; i < PROCESSES; i++) {
      start(0);
    }
    List<Sample> samples = new ArrayList<>(watch(SECONDS));
    while (handed(samples, 0, samples.size() - 1) < RATE * SECONDS) {
      samples.addAll(watch(1));
    }
    double worst = Double.NEGATIVE_INFINITY;
    for (int from = 0; from < samples.size(); from++) {
      for (int to = from + 1; to < samples.size(); to++) {
        worst = Math.max(worst, handed(samples, from, to) - RATE * seconds(samples, from, to));
      }
    }
    assertThat(worst).as("messages above the rate in any span").isLessThanOrEqualTo(BURST + 0.01);
    int last = samples.size() - 1;
    double rate = handed(samples, 0, last) / seconds(samples, 0, last);
    System.out.printf(
        "%.1f messages a second in %d s, at most %.1f above the rate; each second: %s%n",
        rate, Math.round(seconds(samples, 0, last)), worst, eachSecond(samples));
  }

  private static double handed(List<Sample> samples, int from, int to) {
    return samples.get(from).waiting - samples.get(to).waiting;
  }

  private static double seconds(List<Sample> samples, int from, int to) {
    return (samples.get(to).micros - samples.get(from).micros) / 1e6;
  }

  private static List<Long> eachSecond(List<Sample> samples) {
    List<Long> handed = new ArrayList<>();
    Sample begin = samples.get(0);
    for (Sample each : samples) {
      if (each.micros - begin.micros >= 1_000_000) {
        handed.add(begin.waiting - each.waiting);
        begin = each;
      }
    }
    return handed;
  }

  @Test
  void concurrency_workersAreKilled_neverAboveTheLimit() throws Exception {
    queue.setLimits(QueueLimits.none().concurrency(CONCURRENCY));
    for (int i = 0; i < PROCESSES; i++) {
      start(30);
    }
    List<Sample> samples = new ArrayList<>();
    for (int kills = 0; kills < SECONDS; kills++) {
      samples.addAll(watch(1));
      processes.get(kills).kill();
      start(30);
    }
    samples.addAll(watch(2));
    assertThat(samples).extracting(Sample::leased).allMatch(leased -> leased <= CONCURRENCY);
    assertThat(samples).extracting(Sample::leased).contains((long) CONCURRENCY);
    Sample last = samples.get(samples.size() - 1);
    assertThat(samples.get(0).waiting - last.waiting).isGreaterThan(50L * SECONDS);
  }
}
