package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.kit.fault.Direction;
import io.punctual.kit.fault.FaultProxy;
import io.punctual.kit.redis.RedisProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
import org.junit.jupiter.api.io.TempDir;

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

  @TempDir private Path directory;
  private final GuardedResource resource = new GuardedResource();
  private final List<Process> processes = new ArrayList<>();
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
    processes.forEach(Process::destroyForcibly);
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

  private Process process(int threads, int holdMillis) throws IOException {
    Path log = Files.createTempFile(directory, "contender", ".log");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                "-cp",
                System.getProperty("java.class.path"),
                Contender.class.getName(),
                redis.url(),
                Integer.toString(resource.port()),
                "counter",
                Long.toString(LEASE_MILLIS),
                Integer.toString(holdMillis),
                Integer.toString(threads))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    processes.add(process);
    soon().until(() -> Files.readString(log).contains(Contender.READY));
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
  void holders_killed_costALeaseAndNothingElse() throws IOException {
    process(3, 1);
    Process victim = process(3, 1);
    for (int i = 0; i < 2; i++) {
      awaitProgress(100);
      victim.destroyForcibly();
      victim = process(3, 1);
    }
    awaitProgress(100);
    judgeStrictly();
  }

  @Test
  void holder_frozenPastItsLease_isRefusedWhenItGoesOn() throws Exception {
    Process victim = process(1, 100);
    soon().until(() -> resource.inside() != 0);
    awaitProgress(1);
    long stale = freezeInside(victim);
    contend(redis.url(), 2);
    soon().until(() -> resource.overlaps() > 0);
    awaitProgress(20);

    signal(victim, "-CONT");

    soon().until(() -> resource.refused() > 0);
    awaitProgress(20);
    judge();
    assertThat(resource.overlaps()).as("of the frozen one only").isOne();
    assertThat(stale).isPositive();
  }

  private long freezeInside(Process victim) throws Exception {
    while (true) {
      soon().until(() -> resource.inside() != 0);
      signal(victim, "-STOP");
      long token = resource.inside();
      if (token != 0) {
        return token;
      }
      signal(victim, "-CONT");
    }
  }

  private static void signal(Process process, String signal) throws Exception {
    assertThat(new ProcessBuilder("kill", signal, Long.toString(process.pid())).start().waitFor())
        .isZero();
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
    Process victim = process(1, 1);
    soon().until(() -> LockTestServer.waiting(locks, LockKind.MUTEX, "counter") == 1);
    var next = locks.fair("counter").acquireAsync().toCompletableFuture();
    soon().until(() -> LockTestServer.waiting(locks, LockKind.MUTEX, "counter") == 2);
    victim.destroyForcibly().waitFor();

    long start = System.nanoTime();
    first.close();
    LockHandle handle = next.get(10, TimeUnit.SECONDS);

    Duration took = Duration.ofNanos(System.nanoTime() - start);
    assertThat(took).isBetween(Duration.ofMillis(500), Duration.ofMillis(2000));
    handle.close();
  }
}
