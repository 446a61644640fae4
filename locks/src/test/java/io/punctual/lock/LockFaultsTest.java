package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.kit.fault.Direction;
import io.punctual.kit.fault.FaultProxy;
import io.punctual.kit.process.JavaProcess;
import io.punctual.kit.redis.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests a plain counter behind a mutex, while processes, connections and servers fail. The counter
 * includes every accepted increment, since it checks fencing tokens. Two contenders overlap only
 * after a frozen holder or a loss of the server's data.
 */
@Tag("extended")
@Timeout(value = 2, unit = TimeUnit.MINUTES)
final class LockFaultsTest {
  private static final long LEASE_MILLIS = 1_500;
  private static final String FAST = "?timeout=500ms&durabilityTimeout=200ms&connectTimeout=3s";

  private final GuardedResource resource = new GuardedResource();
  private final List<JavaProcess> processes = new ArrayList<>();
  private final List<RedisLocks> opened = new ArrayList<>();
  private final List<Contender> contenders = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private RedisProcess redis;

  @BeforeEach
  void start() {
    redis = RedisProcess.builder().appendOnly("always").start();
  }

  @AfterEach
  void stop() {
    processes.forEach(JavaProcess::close);
    contenders.forEach(Contender::end);
    threads.forEach(Thread::interrupt);
    opened.forEach(RedisLocks::close);
    resource.close();
    redis.close();
  }

  private static ConditionFactory soon() {
    return await().atMost(Duration.ofSeconds(40)).pollInterval(Duration.ofMillis(5));
  }

  /** Starts this many threads in this process, each with its own client. */
  private void contend(String url, int clients) {
    for (int i = 0; i < clients; i++) {
      RedisLocks locks =
          RedisLocks.builder()
              .url(url)
              .resources(LockTestServer.THREADS)
              .lease(Duration.ofMillis(LEASE_MILLIS))
              .open();
      opened.add(locks);
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
      Contender contender =
          new Contender(locks, counter, "counter", Duration.ofMillis(LEASE_MILLIS / 3), 1);
      contenders.add(contender);
      Thread thread = new Thread(contender);
      threads.add(thread);
      thread.start();
    }
  }

  private JavaProcess process(int threads, int holdMillis) {
    JavaProcess process =
        JavaProcess.of(Contender.class)
            .small()
            .arguments(redis.url(), Integer.toString(resource.port()), "counter")
            .arguments(Long.toString(LEASE_MILLIS))
            .arguments(Integer.toString(holdMillis), Integer.toString(threads))
            .ready(Contender.READY)
            .start();
    processes.add(process);
    return process;
  }

  private void awaitProgress(int increments) {
    long goal = resource.accepted() + increments;
    soon().until(() -> resource.accepted() >= goal);
  }

  private void judge() {
    assertThat(resource.isWhole()).as("no increment lost").isTrue();
    assertThat(resource.accepted()).isPositive();
  }

  private void judgeStrictly() {
    judge();
    assertThat(resource.overlaps()).as("two in the middle").isZero();
    assertThat(resource.refused()).as("stale tokens").isZero();
  }

  @Test
  void holders_killed_costALeaseAndNothingElse() {
    process(3, 1);
    JavaProcess victim = process(3, 1);
    for (int i = 0; i < 2; i++) {
      awaitProgress(100);
      victim.kill();
      victim = process(3, 1);
    }
    awaitProgress(100);
    judgeStrictly();
  }

  @Test
  void holder_frozenPastItsLease_isRefusedWhenItGoesOn() {
    JavaProcess victim = process(1, 100);
    soon().until(() -> resource.inside() != 0);
    awaitProgress(1);
    long stale = freezeInside(victim);
    contend(redis.url(), 2);
    soon().until(() -> resource.overlaps() > 0);
    awaitProgress(20);

    victim.thaw();

    soon().until(() -> resource.refused() > 0);
    awaitProgress(20);
    judge();
    assertThat(resource.overlaps()).as("of the frozen one only").isOne();
    assertThat(stale).isPositive();
  }

  private long freezeInside(JavaProcess victim) {
    while (true) {
      soon().until(() -> resource.inside() != 0);
      victim.freeze();
      long token = resource.inside();
      if (token != 0) {
        return token;
      }
      victim.thaw();
    }
  }

  @Test
  void connections_cutAgainAndAgain_loseNothing() {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", redis.port())) {
      contend("redis://127.0.0.1:" + proxy.port() + FAST, 4);
      for (int i = 0; i < 15; i++) {
        awaitProgress(5);
        proxy.cut();
      }
      awaitProgress(50);
      judgeStrictly();
    }
  }

  @Test
  void replies_lost_loseNothing() {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", redis.port())) {
      contend("redis://127.0.0.1:" + proxy.port() + FAST, 4);
      for (int i = 0; i < 3; i++) {
        awaitProgress(20);
        long before = proxy.swallowedBytes(Direction.TO_CLIENT);
        proxy.swallow(Direction.TO_CLIENT);
        soon().until(() -> proxy.swallowedBytes(Direction.TO_CLIENT) > before);
        await().pollDelay(Duration.ofMillis(600)).until(() -> true);
        proxy.heal();
      }
      awaitProgress(50);
      judgeStrictly();
    }
  }

  @Test
  void requests_lost_leaveNoGhosts() {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", redis.port())) {
      contend("redis://127.0.0.1:" + proxy.port() + FAST, 4);
      awaitProgress(20);
      proxy.swallow(Direction.TO_SERVER);
      await().pollDelay(Duration.ofMillis(600)).until(() -> true);
      proxy.heal();
      awaitProgress(50);
      judgeStrictly();
    }
  }

  @Test
  void server_killedAndRestarted_losesNothing() {
    contend(redis.url() + FAST, 4);
    for (int i = 0; i < 2; i++) {
      awaitProgress(50);
      redis.kill();
      redis.restart();
    }
    awaitProgress(50);
    judgeStrictly();
  }

  @Test
  void server_frozen_losesNothing() {
    contend(redis.url() + FAST, 4);
    awaitProgress(50);
    redis.freeze();
    await().pollDelay(Duration.ofMillis(LEASE_MILLIS + 200)).until(() -> true);
    redis.thaw();
    awaitProgress(50);
    judgeStrictly();
  }

  @Test
  void server_restartedEmpty_givesHigherTokensAllTheSame() {
    redis.close();
    redis = RedisProcess.start();
    contend(redis.url() + FAST, 4);
    for (int i = 0; i < 2; i++) {
      awaitProgress(50);
      redis.kill();
      redis.restart();
    }
    awaitProgress(50);
    judge();
  }

  @Test
  void replica_promotedInPlaceOfItsPrimary_givesHigherTokens() {
    RedisProcess replica = RedisProcess.builder().replicaOf(redis).start();
    try {
      soon()
          .until(
              () -> String.valueOf(replica.ask("INFO", "replication")).contains("link_status:up"));
      contend(redis.url() + FAST, 4);
      awaitProgress(50);
      int port = redis.port();
      redis.kill();
      replica.ask("REPLICAOF", "NO", "ONE");
      replica.ask("CONFIG", "SET", "port", Integer.toString(port));
      awaitProgress(50);
      judge();
    } finally {
      contenders.forEach(Contender::end);
      replica.close();
    }
  }

  @Test
  void fairWaiter_thatDied_costsTheNextTwoSecondsAtMost() throws Exception {
    RedisLocks locks = RedisLocks.open(redis.url());
    opened.add(locks);
    LockHandle first = locks.fair("counter").acquire();
    JavaProcess victim = process(1, 1);
    soon().until(() -> LockTestServer.waiting(locks, LockKind.MUTEX, "counter") == 1);
    var next = locks.fair("counter").acquireAsync().toCompletableFuture();
    soon().until(() -> LockTestServer.waiting(locks, LockKind.MUTEX, "counter") == 2);
    victim.kill();

    long start = System.nanoTime();
    first.close();
    LockHandle handle = next.get(10, TimeUnit.SECONDS);

    Duration took = Duration.ofNanos(System.nanoTime() - start);
    assertThat(took).isBetween(Duration.ofMillis(500), Duration.ofMillis(2000));
    handle.close();
  }
}
