package io.punctual.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.Worker;
import io.punctual.kit.redis.RedisProcess;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests importers that are killed while producers and takers use Redisson, and a worker uses
 * Punctual. Each element must be delivered exactly once, by Redisson or by Punctual, and not early.
 * {@code -Dpunctual.kills=100} sets the number of kills; {@code -Dpunctual.seed=N} repeats the
 * random choices.
 */
@Tag("extended")
@Timeout(value = 1, unit = TimeUnit.HOURS)
final class KilledImporterTest {
  private static final int KILLS = Integer.getInteger("punctual.kills", 15);
  private static final long SEED = Long.getLong("punctual.seed", System.nanoTime());
  private static final int TAKERS = 2;
  private static final int MAX_DELAY_MILLIS = 4000;
  private static final int MAX_LIFE_MILLIS = 500;
  private static final String QUEUE = "orders";

  private final Ledger ledger = new Ledger();
  private final AtomicBoolean taking = new AtomicBoolean(true);

  @Test
  void killedImporters_loseNothing_andDeliverNothingTwiceOrEarly() throws Exception {
    System.out.println(KILLS + " kills: -Dpunctual.seed=" + SEED);
    Random random = new Random(SEED);
    try (RedisProcess redis = RedisProcess.start();
        Punctual punctual = Punctual.open(redis.url());
        Worker worker =
            punctual
                .queue(QUEUE, Codec.string())
                .work(delivery -> ledger.punctualDelivered(delivery.payload()));
        TakerThreads takers = TakerThreads.start(redis.url(), QUEUE, TAKERS, ledger)) {
      try (DelayedQueues<String> producer = DelayedQueues.ofStrings(redis.url(), QUEUE)) {
        Thread producing = new Thread(() -> produce(producer, new Random(SEED)));
        producing.start();
        for (int i = 0; i < KILLS; i++) {
          try (ImporterProcess importer = ImporterProcess.start(redis.url(), QUEUE)) {
            importer.killAfter(Duration.ofMillis(1 + random.nextInt(MAX_LIFE_MILLIS)));
          }
        }
        taking.set(false);
        producing.join();
      }
      try (ImporterProcess last = ImporterProcess.start(redis.url(), QUEUE)) {
        last.expectCleanEnd();
      }
      await().atMost(Duration.ofMinutes(1)).until(ledger::isComplete);
      System.out.println(ledger);
      assertThat(redis.ask("KEYS", "punctual_import*")).asString().isEqualTo("[]");
    }
    assertThat(ledger.breaches).as("seed %d", SEED).isEmpty();
    assertThat(ledger.isComplete()).isTrue();
    assertThat(ledger.countOfRedisson()).isPositive();
    assertThat(ledger.countOfPunctual()).isPositive();
  }

  private void produce(DelayedQueues<String> redisson, Random random) {
    for (int i = 0; taking.get(); i++) {
      String payload = "order-" + i;
      int delay = random.nextInt(MAX_DELAY_MILLIS);
      ledger.offering(payload, delay);
      redisson.offer(payload, delay);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
    }
  }
}
