package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.kit.redis.RedisCluster;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.lock.internal.protocol.LockKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests locks on a Redis Cluster with moving slots. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class LockClusterTest {
  private static RedisCluster redis;

  private RedisLocks locks;
  private RedisLocks others;

  @BeforeAll
  static void start() {
    redis = RedisCluster.start(3, 0);
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @BeforeEach
  void openTwo() {
    locks = open();
    others = open();
  }

  @AfterEach
  void closeBoth() {
    locks.close();
    others.close();
  }

  private static RedisLocks open() {
    return RedisLocks.builder().url(redis.url()).resources(LockTestServer.THREADS).open();
  }

  @Test
  void locksOfAllNodes_areListedAndPassedOnByWordOfTheServer() throws Exception {
    List<LockHandle> handles = new ArrayList<>();
    List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      handles.add(locks.mutex("lock-" + i).acquire());
      waiting.add(others.mutex("lock-" + i).acquireAsync().toCompletableFuture());
    }
    for (int i = 0; i < 12; i++) {
      String name = "lock-" + i;
      await().until(() -> LockTestServer.waiting(locks, LockKind.MUTEX, name) == 1);
    }
    assertThat(locks.list(LockKind.MUTEX, 100)).hasSize(12);
    List<Duration> took = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      long start = System.nanoTime();
      handles.get(i).close();
      try (LockHandle next = waiting.get(i).get(60, TimeUnit.SECONDS)) {
        took.add(Duration.ofNanos(System.nanoTime() - start));
        assertThat(next.fencingToken()).isGreaterThan(handles.get(i).fencingToken());
      }
    }
    assertThat(Collections.min(took))
        .as("nobody has to ask again")
        .isLessThan(Duration.ofMillis(500));
    try (LockHandle all = locks.multi(List.of("lock-1", "lock-2", "lock-3")).acquire()) {
      assertThat(all.fencingTokens()).hasSize(3);
    }
  }

  @Test
  void slotOfALock_thatMoves_takesHolderAndWaitersAlong() throws Exception {
    String key =
        LockKeys.tag("punctual", locks.session().client().keys(LockKind.MUTEX, "a").bucket());
    LockHandle held = locks.mutex("a").acquire();
    CompletableFuture<LockHandle> waiting = others.fair("a").acquireAsync().toCompletableFuture();
    await().until(() -> LockTestServer.waiting(locks, LockKind.MUTEX, "a") == 1);

    migrate(key);

    assertThat(others.mutex("a").tryAcquire()).isEmpty();
    assertThat(held.isHeld()).isTrue();
    assertThat(waiting).isNotDone();
    assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
    LockHandle next = waiting.get(60, TimeUnit.SECONDS);
    assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());

    migrate(key);

    assertThat(next.release()).isEqualTo(ReleaseOutcome.RELEASED);
    try (LockHandle last = locks.mutex("a").acquire()) {
      assertThat(last.fencingToken()).isGreaterThan(next.fencingToken());
    }
  }

  private static void migrate(String key) {
    RedisProcess from = redis.primaryOf(key);
    redis.migrate(key, redis.nodes().stream().filter(n -> n != from).findFirst().orElseThrow());
  }
}
