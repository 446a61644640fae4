package io.punctual.migration.redisson;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.kit.fault.Direction;
import io.punctual.kit.fault.FaultProxy;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.migration.ImportReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * Tests an import whose connections to Redis are cut again and again, with the replies in transit.
 */
final class LostRepliesTest {
  private static final int ENTRIES = 1500;
  private static final int FAULTS = 40;

  @Test
  void lostRepliesOfRedis_loseAndRepeatNoEntry() throws Exception {
    long seed = System.nanoTime();
    try (RedisProcess redis = RedisProcess.start();
        FaultProxy proxy = FaultProxy.to("127.0.0.1", redis.port());
        Punctual punctual = Punctual.open("memory:")) {
      RedissonLayout layout = new RedissonLayout(redis, "q");
      for (int i = 0; i < ENTRIES; i++) {
        layout.offer(String.format("%08d", i), "payload-" + i, 1000 + i);
      }
      TimedQueue<String> queue = punctual.queue("q", Codec.string());
      RedissonImport<String> importer =
          RedissonImport.from("redis://" + proxy.host() + ":" + proxy.port())
              .queue("q")
              .to(queue, RedissonPayloads.string())
              .batchSize(10);
      AtomicBoolean importing = new AtomicBoolean(true);
      List<String> delivered = new ArrayList<>();
      CountDownLatch begun = new CountDownLatch(1);
      Thread taker = new Thread(() -> take(queue, delivered, begun));
      Thread faults =
          new Thread(
              () -> {
                awaitFirst(begun);
                loseReplies(proxy, importing, new Random(seed));
              });
      ImportReport report;
      proxy.delay(Direction.TO_CLIENT, Duration.ofMillis(2));
      taker.start();
      faults.start();
      try {
        report = importer.run();
      } finally {
        importing.set(false);
        faults.join();
      }
      taker.join();

      assertThat(proxy.accepted()).isGreaterThan(5);
      assertThat(report.isClean()).as("seed %d: %s", seed, report).isTrue();
      assertThat(delivered).as("seed %d", seed).hasSize(ENTRIES).doesNotHaveDuplicates();
      assertThat(queue.counts().scheduled() + queue.counts().ready()).isZero();
      assertThat(redis.ask("DBSIZE")).isEqualTo(0L);
    }
  }

  private static void awaitFirst(CountDownLatch begun) {
    try {
      begun.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void loseReplies(FaultProxy proxy, AtomicBoolean importing, Random random) {
    for (int i = 0; i < FAULTS && importing.get(); i++) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20 + random.nextInt(40)));
      proxy.swallow(Direction.TO_CLIENT);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1 + random.nextInt(5)));
      proxy.heal();
      proxy.delay(Direction.TO_CLIENT, Duration.ofMillis(2));
    }
  }

  /**
   * Takes messages until all entries have arrived, and no message arrives for half a second. Gives
   * up if no message arrives for a minute.
   */
  private static void take(TimedQueue<String> queue, List<String> delivered, CountDownLatch begun) {
    while (true) {
      boolean isLast = delivered.size() >= ENTRIES;
      List<Message<String>> taken =
          queue.take(1000, isLast ? Duration.ofMillis(500) : Duration.ofMinutes(1));
      taken.forEach(message -> delivered.add(message.payload()));
      begun.countDown();
      if (taken.isEmpty()) {
        return;
      }
    }
  }
}
