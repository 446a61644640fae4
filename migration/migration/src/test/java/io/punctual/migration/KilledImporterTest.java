package io.punctual.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.harness.redis.RedisProcess;
import io.punctual.migration.sql.OldSqlQueue;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Importers that are killed at random, beside the live consumer of the old queue. A ledger shows
 * that each entry is received once, by one of the two sides, and not before it is due. The system
 * property {@code punctual.kills} is the number of kills for each layout, {@code punctual.seed}
 * repeats their times, and {@code punctual.layouts} selects layouts.
 */
final class KilledImporterTest {
  private static final int ENTRIES = Integer.getInteger("punctual.entries", 150);
  private static final int KILLS = Integer.getInteger("punctual.kills", 3);
  private static final long SEED = Long.getLong("punctual.seed", System.nanoTime());
  private static final int LONGEST_LIFE_MILLIS = 120;
  private static final Duration LONGEST = Duration.ofMinutes(2);

  @TempDir private Path folder;

  private final Map<String, Long> dues = new ConcurrentHashMap<>();
  private final Map<String, Integer> received = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<String> early = new ConcurrentLinkedQueue<>();

  @ParameterizedTest
  @ValueSource(
      strings = {"JOBS", "WAIT_AND_ACTIVE", "DELAY_TABLE", "RQUEUE", "DB_SCHEDULER", "QUARTZ"})
  void run_killedAtRandom_deliversEachEntryOnceAndNotEarly(String layout) throws Exception {
    org.junit.jupiter.api.Assumptions.assumeTrue(
        System.getProperty("punctual.layouts", layout).contains(layout));
    try (RedisProcess redis = RedisProcess.start();
        OldQueue old =
            layout.equals("DB_SCHEDULER") || layout.equals("QUARTZ")
                ? OldSqlQueue.of(layout, folder)
                : OldRedisQueue.of(layout, redis);
        Punctual punctual = Punctual.open(redis.url())) {
      fill(old);
      TimedQueue<byte[]> queue = punctual.queue("orders", Codec.bytes());
      Worker worker = queue.work(delivery -> receive(delivery.id()));
      AtomicBoolean ended = new AtomicBoolean();
      Thread taker = new Thread(() -> takeUntil(ended, old), "old consumer");
      taker.start();
      Random random = new Random(SEED);
      for (int i = 0; i < KILLS; i++) {
        kill(layout, old.url(), redis.url(), random.nextInt(LONGEST_LIFE_MILLIS));
      }
      complete(layout, old, redis.url());
      await(layout);
      ended.set(true);
      taker.join();
      worker.close();

      assertThat(received.keySet()).as(message(layout)).isEqualTo(dues.keySet());
      assertThat(received.values()).as(message(layout)).allMatch(times -> times == 1);
      assertThat(early).as(message(layout)).isEmpty();
      assertThat(queue.counts().scheduled() + queue.counts().ready()).isZero();
      assertThat(old.size()).isZero();
      System.out.printf("%s: %d kills, %d entries, seed %d%n", layout, KILLS, ENTRIES, SEED);
    }
  }

  private static String message(String layout) {
    return layout + ", -Dpunctual.seed=" + SEED;
  }

  /** A third of the entries is due, the others become due within seconds of a run. */
  private void fill(OldQueue old) throws Exception {
    long now = System.currentTimeMillis();
    Random random = new Random(SEED);
    for (int i = 0; i < ENTRIES; i++) {
      String id = "order-" + i;
      long due = i % 3 == 0 ? now - 5000 : now + 1000 + random.nextInt(1000 * (KILLS + 2));
      dues.put(id, due);
      old.add(id, due);
    }
  }

  private void receive(String id) {
    if (System.currentTimeMillis() < dues.getOrDefault(id, Long.MAX_VALUE)) {
      early.add(id);
    }
    received.merge(id, 1, Integer::sum);
  }

  private void takeUntil(AtomicBoolean ended, OldQueue old) {
    while (!ended.get()) {
      try {
        old.take().forEach(this::receive);
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
      // A slow consumer leaves work for the importer.
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }
  }

  private Process start(String layout, String source, String store) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx96m"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(KilledImporter.class.getName(), layout, source, store));
    return new ProcessBuilder(command)
        .redirectError(folder.resolve("importer.log").toFile())
        .start();
  }

  private void kill(String layout, String source, String store, int millis) throws Exception {
    Process process = start(layout, source, store);
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
      String line = output.readLine();
      assertThat(line).as(Files.readString(folder.resolve("importer.log"))).isEqualTo("running");
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    } finally {
      process.destroyForcibly();
    }
    int unused = process.waitFor();
  }

  /** Runs importers until the old queue is empty. */
  private void complete(String layout, OldQueue old, String store) throws Exception {
    long deadline = System.nanoTime() + LONGEST.toNanos();
    while (old.size() > 0 && System.nanoTime() < deadline) {
      Process process = start(layout, old.url(), store);
      try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
        List<String> lines = output.lines().toList();
        assertThat(lines).as(Files.readString(folder.resolve("importer.log"))).hasSize(2);
      } finally {
        process.destroyForcibly();
      }
    }
  }

  private void await(String layout) {
    long deadline = System.nanoTime() + LONGEST.toNanos();
    while (received.size() < ENTRIES) {
      assertThat(System.nanoTime()).as("%s: %s", message(layout), missing()).isLessThan(deadline);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  private List<String> missing() {
    return dues.keySet().stream().filter(id -> !received.containsKey(id)).toList();
  }
}
