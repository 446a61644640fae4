package io.punctual.lock;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.partitioningBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.timer.WheelTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests that released locks leave no keys behind, except counters and keys that expire, and that
 * closed locks leave no subscriptions, threads or timers.
 */
@Tag("extended")
@Timeout(120)
final class LockLeaksTest extends LockTestServer {
  private static final int ACQUISITIONS =
      Integer.getInteger("punctual.locks.acquisitions", 100_000);

  @Test
  void manyAcquisitions_leaveNoKeysSubscriptionsThreadsOrTimers() throws Exception {
    WheelTimer timer = WheelTimer.create();
    RedisLocks locks = builder().timer(timer).lease(Duration.ofMinutes(10)).open();
    locks.mutex("warm").acquire().close();
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (int chain = 0; chain < 16; chain++) {
      all.add(chain(locks, chain, ACQUISITIONS / 16));
    }
    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(100, TimeUnit.SECONDS);

    LockCounters counted = locks.counters();
    assertThat(counted.acquired()).isGreaterThanOrEqualTo(ACQUISITIONS / 16 * 16L);
    assertThat(counted.holding()).isZero();
    assertThat(counted.waiting()).isZero();
    assertThat(counted.lost()).isZero();
    assertOnlyCountersAndRefusalsAreLeft();
    assertThat((List<?>) redis.ask("PUBSUB", "CHANNELS", "*")).hasSizeLessThanOrEqualTo(1);

    locks.close();
    assertThat((List<?>) redis.ask("PUBSUB", "CHANNELS", "*")).isEmpty();
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(
            () ->
                assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .noneMatch(name -> name.startsWith("punctual-locks")));
    assertThat(timer.close()).as("but the pulse of the subscription").hasSizeLessThanOrEqualTo(1);
  }

  /**
   * Asserts that the only keys left are counters, the name of this process, and the keys by which
   * the server refuses late requests of released handles. All but the counters expire.
   */
  private void assertOnlyCountersAndRefusalsAreLeft() {
    List<?> keys = (List<?>) requireNonNull(redis.ask("KEYS", "*"));
    Map<Boolean, List<String>> counters =
        keys.stream().map(String::valueOf).collect(partitioningBy(key -> key.endsWith(":token")));
    assertThat(counters.get(true)).as("counters of buckets").hasSizeLessThanOrEqualTo(256);
    assertThat(counters.get(false))
        .filteredOn(key -> !key.startsWith("{punctual:lock}:client:"))
        .allSatisfy(key -> assertThat(key).contains(":gone:"))
        .allSatisfy(
            key -> assertThat((Long) redis.ask("PTTL", key)).isNotEqualTo(-1).isLessThan(120_000));
    assertThat(counters.get(false))
        .filteredOn(key -> key.startsWith("{punctual:lock}:client:"))
        .as("the name of this process")
        .hasSizeLessThanOrEqualTo(1)
        .allSatisfy(key -> assertThat((Long) redis.ask("PTTL", key)).isBetween(1L, 3_600_000L));
  }

  /**
   * Acquires and releases {@code left} locks in sequence. In every fourth step, the chains, which
   * run at the same time, contend for the same names.
   */
  private static CompletableFuture<?> chain(RedisLocks locks, int chain, int left) {
    if (left == 0) {
      return CompletableFuture.completedFuture(null);
    }
    String name = left % 4 == 0 ? "shared-" + left % 8 : "own-" + chain + "-" + left % 1000;
    return locks
        .mutex(name)
        .acquireAsync()
        .thenCompose(LockHandle::releaseAsync)
        .thenCompose(outcome -> chain(locks, chain, left - 1))
        .toCompletableFuture();
  }
}
