package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.NotConfirmedException;
import io.punctual.PunctualException;
import io.punctual.kit.redis.RedisCluster;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.kit.redis.RedisSentinels;
import io.punctual.lock.internal.protocol.LockKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests locks that a replica has confirmed, after the replica has replaced a killed primary. */
@Tag("extended")
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class LockFailOverTest {
  private static final String DURABLE =
      "?durability=replicas:1&timeout=2s&durabilityTimeout=1s&connectTimeout=10s";
  private static final Duration LEASE = Duration.ofSeconds(4);

  private final GuardedResource resource = new GuardedResource();
  private final List<RedisLocks> opened = new ArrayList<>();
  private final List<Contender> contenders = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();

  @AfterEach
  void stop() {
    contenders.forEach(Contender::end);
    threads.forEach(Thread::interrupt);
    opened.forEach(RedisLocks::close);
    resource.close();
  }

  private static ConditionFactory soon() {
    return await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(20));
  }

  private RedisLocks open(String url, Duration lease) {
    RedisLocks locks =
        RedisLocks.builder().url(url).resources(LockTestServer.THREADS).lease(lease).open();
    opened.add(locks);
    return locks;
  }

  @Test
  void sentinels_thatReplaceTheKilledPrimary_letNoLockBeHeldTwice() throws Exception {
    try (RedisSentinels redis = RedisSentinels.start(1)) {
      holdThrough(
          redis.url(),
          key -> {
            RedisProcess former = redis.primary();
            former.kill();
            redis.awaitPrimaryOtherThan(former);
            return () -> {
              former.restart();
              redis.awaitReplicas(1);
            };
          });
      stop();
    }
  }

  @Test
  void cluster_thatReplacesAKilledPrimary_letsNoLockBeHeldTwice() throws Exception {
    try (RedisCluster redis = RedisCluster.start(3, 1)) {
      holdThrough(
          redis.url(),
          key -> {
            RedisProcess former = redis.primaryOf(key);
            former.kill();
            redis.awaitPrimaryOtherThan(former, key);
            return () -> {
              former.restart();
              redis.awaitReplicas();
            };
          });
      stop();
    }
  }

  @Test
  void sentinels_thatReplaceThePrimaryBeforeTheConfirmation_letNoTwoOwnersHaveAToken()
      throws Exception {
    try (RedisSentinels redis = RedisSentinels.start(1)) {
      RedisLocks locks =
          open(
              redis.url() + "?durability=replicas:1&durabilityTimeout=10s&connectTimeout=10s",
              Duration.ofSeconds(60));
      RedisLocks others = open(redis.url() + "?timeout=2s&connectTimeout=10s", LEASE);
      acquire(locks.mutex("a")).close();
      RedisProcess former = redis.primary();
      RedisProcess replica =
          redis.servers().stream().filter(server -> server != former).findAny().orElseThrow();
      replica.freeze();
      var asked = locks.mutex("a").acquireAsync().toCompletableFuture();
      soon().until(() -> others.find(LockKind.MUTEX, "a").isPresent());
      long granted = others.find(LockKind.MUTEX, "a").orElseThrow().holders().get(0).fencingToken();

      former.kill();
      replica.thaw();

      redis.awaitPrimaryOtherThan(former);
      assertThat(asked)
          .failsWithin(Duration.ofSeconds(60))
          .withThrowableThat()
          .withCauseInstanceOf(NotConfirmedException.class);
      LockHandle next = acquire(others.mutex("a"));
      assertThat(next.fencingToken()).isGreaterThan(granted);
      assertThat(next.release()).isEqualTo(ReleaseOutcome.RELEASED);
      stop();
    }
  }

  /** Kills the primary of a key; returns an action that restarts the killed server as a replica. */
  private interface Killing {
    Runnable primaryOf(String key);
  }

  private void holdThrough(String url, Killing kill) throws Exception {
    RedisLocks locks = open(url + DURABLE, Duration.ofSeconds(60));
    RedisLocks others =
        open(url + "?timeout=2s&durabilityTimeout=1s&connectTimeout=10s", Duration.ofSeconds(60));
    LockKeys keys = locks.session().client().keys(LockKind.MUTEX, "a");
    LockHandle mutex = acquire(locks.mutex("a"));
    LockHandle writer = acquire(locks.readWrite("a").write());
    LockHandle permit = acquire(locks.semaphore("a", 1));
    contend(url, nameBeside(locks, keys));
    awaitProgress();

    Runnable former = kill.primaryOf(LockKeys.tag("punctual", keys.bucket()));

    for (DistributedLock lock :
        List.of(others.mutex("a"), others.readWrite("a").read(), others.semaphore("a", 1))) {
      assertRefused(lock);
    }
    assertThat(List.of(mutex, writer, permit)).allMatch(LockHandle::isHeld);
    former.run();
    CompletableFuture<LockHandle> next = others.fair("a").acquireAsync().toCompletableFuture();
    soon().until(() -> LockTestServer.waiting(others, LockKind.MUTEX, "a") == 1);
    assertThat(mutex.release()).isEqualTo(ReleaseOutcome.RELEASED);
    assertThat(next.get(30, TimeUnit.SECONDS).fencingToken()).isGreaterThan(mutex.fencingToken());
    assertThat(writer.release()).isEqualTo(ReleaseOutcome.RELEASED);
    assertThat(permit.release()).isEqualTo(ReleaseOutcome.RELEASED);
    awaitProgress();
    assertThat(resource.isWhole()).as("no increment lost").isTrue();
    assertThat(resource.overlaps()).as("two in the middle").isZero();
    assertThat(resource.refused()).as("stale tokens").isZero();
  }

  /**
   * Acquires a lock. Repeats failed attempts, because the first confirmations of a replica can take
   * longer than the durability time-out.
   */
  private static LockHandle acquire(DistributedLock lock) {
    List<LockHandle> got = new ArrayList<>();
    soon()
        .ignoreExceptionsInstanceOf(PunctualException.class)
        .until(
            () -> {
              lock.tryAcquire(Duration.ofSeconds(10)).ifPresent(got::add);
              return !got.isEmpty();
            });
    return got.get(0);
  }

  /** Asserts that the first reply of the new primary already shows that the lock is held. */
  private static void assertRefused(DistributedLock lock) {
    List<Optional<LockHandle>> answers = new ArrayList<>();
    soon()
        .ignoreExceptionsInstanceOf(PunctualException.class)
        .until(() -> answers.add(lock.tryAcquire()));
    assertThat(answers.get(0)).isEmpty();
  }

  private static String nameBeside(RedisLocks locks, LockKeys keys) {
    int number = 0;
    while (locks.session().client().keys(LockKind.MUTEX, "n" + number).bucket() != keys.bucket()) {
      number++;
    }
    return "n" + number;
  }

  private void contend(String url, String name) {
    for (int i = 0; i < 3; i++) {
      GuardedResource.Counter counter =
          new GuardedResource.Counter() {
            @Override
            public long begin(long token) {
              return resource.begin(token);
            }

            @Override
            public boolean end(long token, long value) {
              return resource.end(token, value);
            }
          };
      RedisLocks client = open(url + DURABLE, LEASE);
      Contender contender = new Contender(client, counter, name, LEASE.dividedBy(4), 5);
      contenders.add(contender);
      Thread thread = new Thread(contender);
      threads.add(thread);
      thread.start();
    }
  }

  private void awaitProgress() {
    long goal = resource.accepted() + 20;
    soon().until(() -> resource.accepted() >= goal);
  }
}
