package io.punctual.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.migration.ImportReport;
import io.punctual.migration.redisson.RedissonImport;
import io.punctual.migration.redisson.RedissonPayloads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Imports a backlog, while producers offer 500 elements a second to Redisson, and schedule 500
 * messages a second in the queue of the import, all on one server. The elements of Redisson belong
 * to a different queue: a backlog in the same queue makes Redisson itself late. {@code
 * -Dpunctual.import.entries=1000000} sets the backlog, {@code -Dpunctual.import.batch} the batch
 * size; the test prints its figures.
 */
@Timeout(value = 1, unit = TimeUnit.HOURS)
final class ImportSpeedTest {
  private static final int ENTRIES = Integer.getInteger("punctual.import.entries", 20_000);
  private static final int BATCH = Integer.getInteger("punctual.import.batch", 200);
  private static final int PER_SECOND = 500;
  private static final int DELAY_MILLIS = 500;
  private static final String BACKLOG = "orders";
  private static final String STEADY = "steady";

  private final AtomicBoolean producing = new AtomicBoolean(true);

  @Test
  void backlog_isImportedWhole_besideTrafficOnBothSides() throws Exception {
    Ledger ledger = new Ledger();
    try (RedisProcess redis = RedisProcess.builder().installed().start();
        Punctual punctual = Punctual.open(redis.url())) {
      fill(redis);
      TimedQueue<String> queue = punctual.queue(BACKLOG, Codec.string());
      try (Worker worker = queue.work(delivery -> ledger.punctualDelivered(delivery.payload()));
          TakerThreads takers = TakerThreads.start(redis.url(), STEADY, 2, ledger);
          DelayedQueues<String> redisson = DelayedQueues.ofStrings(redis.url(), STEADY)) {
        Thread offers =
            steadily(
                "redisson",
                payload -> {
                  ledger.offering(payload, DELAY_MILLIS);
                  redisson.offer(payload, DELAY_MILLIS);
                });
        Thread schedules =
            steadily(
                "punctual",
                payload -> {
                  ledger.offering(payload, DELAY_MILLIS);
                  queue.schedule(payload, Duration.ofMillis(DELAY_MILLIS));
                });
        ImportReport report =
            RedissonImport.from(redis.url())
                .queue(BACKLOG)
                .to(queue, RedissonPayloads.string())
                .batchSize(BATCH)
                .run();
        producing.set(false);
        offers.join();
        schedules.join();
        await().atMost(Duration.ofMinutes(1)).until(ledger::isComplete);
        System.out.printf(
            "%d entries in %.1f s; %s; load average %s on %d processors%n",
            ENTRIES,
            report.elapsed().toMillis() / 1e3,
            ledger,
            loadAverage(),
            Runtime.getRuntime().availableProcessors());
        assertThat(report.isClean()).isTrue();
        assertThat(report.scheduled()).isEqualTo(ENTRIES);
      }
      assertThat(queue.counts().scheduled()).isEqualTo(ENTRIES);
      assertThat(ledger.breaches).isEmpty();
    }
  }

  private static String loadAverage() throws IOException {
    Path file = Path.of("/proc/loadavg");
    return Files.exists(file) ? Files.readString(file).split(" ", 2)[0] : "unknown";
  }

  /** Adds entries as Redisson does, with payloads of 100 bytes; none is due during the test. */
  private static void fill(RedisProcess redis) {
    String script =
        "for i = tonumber(ARGV[1]), tonumber(ARGV[2]) - 1 do"
            + " local p = 'order-' .. i p = p .. string.rep('x', 100 - #p)"
            + " local v = struct.pack('Bc0Lc0', 8, string.format('%08d', i), #p, p)"
            + " redis.call('zadd', KEYS[2], tonumber(ARGV[3]) + i * 3600 % 3600000, v)"
            + " redis.call('rpush', KEYS[1], v) end";
    int step = 5000;
    for (int from = 0; from < ENTRIES; from += step) {
      Object unused =
          redis.ask(
              "EVAL",
              script,
              "2",
              "redisson_delay_queue:{" + BACKLOG + "}",
              "redisson_delay_queue_timeout:{" + BACKLOG + "}",
              "" + from,
              "" + Math.min(ENTRIES, from + step),
              "" + (System.currentTimeMillis() + TimeUnit.HOURS.toMillis(2)));
    }
  }

  private Thread steadily(String side, Consumer<String> offer) {
    Thread thread =
        new Thread(
            () -> {
              long next = System.nanoTime();
              for (int i = 0; producing.get(); i++) {
                offer.accept(side + "-" + i);
                next += TimeUnit.SECONDS.toNanos(1) / PER_SECOND;
                LockSupport.parkNanos(next - System.nanoTime());
              }
            },
            side);
    thread.start();
    return thread;
  }
}
