package io.punctual.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.Worker;
import io.punctual.kit.kill.KillPlan;
import io.punctual.kit.kill.KillRun;
import io.punctual.kit.kill.RoleProcess;
import io.punctual.kit.redis.RedisProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests importers that are killed while producers and takers use Redisson, and a worker uses
 * Punctual. Each element must be delivered exactly once, by Redisson or by Punctual, and not early.
 * {@code -Dpunctual.kills=100} sets the number of kills; {@code -Dpunctual.seed=N} repeats the
 * random choices.
 */
@Tag("extended")
@Timeout(value = 1, unit = TimeUnit.HOURS)
final class KilledImporterTest {
  private static final int KILLS = 15;
  private static final int TAKERS = 2;
  private static final int MAX_DELAY_MILLIS = 4000;
  private static final int MAX_LIFE_MILLIS = 500;
  private static final String QUEUE = "orders";

  private final Ledger ledger = new Ledger();
  private final AtomicBoolean taking = new AtomicBoolean(true);

  @Test
  void killedImporters_loseNothing_andDeliverNothingTwiceOrEarly(@TempDir Path folder)
      throws Exception {
    KillPlan plan = KillPlan.ofKills("Redisson", KILLS);
    try (RedisProcess redis = RedisProcess.start();
        KillRun run = new KillRun(folder, redis.url(), plan.seed());
        Punctual punctual = Punctual.open(redis.url());
        Worker worker =
            punctual
                .queue(QUEUE, Codec.string())
                .work(delivery -> ledger.punctualDelivered(delivery.payload()));
        TakerThreads takers = TakerThreads.start(redis.url(), QUEUE, TAKERS, ledger)) {
      try (DelayedQueues<String> producer = DelayedQueues.ofStrings(redis.url(), QUEUE)) {
        Thread producing = new Thread(() -> produce(producer, new Random(plan.seed())));
        producing.start();
        for (int i = 0; i < plan.kills(); i++) {
          RoleProcess importer = run.start(new ImportRole(QUEUE)).awaitReady();
          run.killAfter(Duration.ofMillis(1 + plan.below(MAX_LIFE_MILLIS)), importer);
        }
        taking.set(false);
        producing.join();
      }
      run.start(new ImportRole(QUEUE)).awaitEnd();
      await().atMost(Duration.ofMinutes(1)).until(ledger::isComplete);
      System.out.println(ledger);
      assertThat(redis.ask("KEYS", "punctual_import*")).asString().isEqualTo("[]");
    }
    assertThat(ledger.breaches).as("seed %d", plan.seed()).isEmpty();
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
