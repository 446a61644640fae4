package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.testkit.fault.FaultProxy;
import io.punctual.testkit.history.Breach;
import io.punctual.testkit.history.HistoryReport;
import io.punctual.testkit.redis.RedisCluster;
import io.punctual.testkit.redis.RedisProcess;
import io.punctual.testkit.redis.RedisSentinels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What happens to messages when servers of a deployment fail, are replaced, cut off or moved while
 * producers and workers go on. Part of the build with {@code -Pfaults}; with {@code -Dminutes=N}
 * each fault lasts N minutes instead of two seconds.
 */
@Tag("faults")
@Timeout(value = 1, unit = TimeUnit.HOURS)
final class TopologyFaultsTest {
  private static final Duration FAULT =
      Duration.ofSeconds(Math.max(2, 60 * Integer.getInteger("punctual.faults.minutes", 0)));

  private static final Path DEBIAN_REDIS = Path.of("/usr/bin/redis-server");
  private static final Path FAKETIME =
      Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1");

  /** Its malloc goes before jemalloc's, which asks for the time before faketime can tell it. */
  private static final String LIBC = " /lib/x86_64-linux-gnu/libc.so.6";

  /** How long producers go on: before, while and after something fails. */
  private static final Duration TRAFFIC = FAULT.plusSeconds(3);

  private static final String QUICK = "timeout=1s&durabilityTimeout=500ms";

  @TempDir private Path directory;

  private static void during(Duration time) throws InterruptedException {
    Thread.sleep(time.toMillis());
  }

  private static boolean isOver(long begin) {
    return System.nanoTime() - begin > FAULT.toNanos();
  }

  @Test
  void sentinelFailOver_allReplicasConfirm_nothingIsLost() throws InterruptedException {
    try (RedisSentinels redis = RedisSentinels.start(1);
        TopologyRun run = new TopologyRun(directory, redis.url() + "?durability=replicas:1")) {
      run.work(2);
      run.produce(TRAFFIC);
      during(Duration.ofSeconds(1));
      RedisProcess former = redis.primary();
      former.kill();
      redis.awaitPrimaryOtherThan(former);
      former.restart();
      redis.awaitReplicas(1);
      run.expectNothingLost();
    }
  }

  @Test
  void sentinelFailOver_noDurability_losesOnlyTheNewest() throws InterruptedException {
    try (RedisSentinels redis = RedisSentinels.start(1);
        TopologyRun run = new TopologyRun(directory, redis.url())) {
      run.work(2);
      run.produce(TRAFFIC);
      during(Duration.ofSeconds(1));
      RedisProcess former = redis.primary();
      former.kill();
      redis.awaitPrimaryOtherThan(former);
      HistoryReport report = run.report();
      System.out.println("fail-over without durability:\n" + report);
      assertThat(report.count(Breach.LOST)).as("%s", report).isLessThan(report.confirmed() / 5);
    }
  }

  @Test
  void sentinelRollingRestart_allReplicasConfirm_nothingIsLost() throws InterruptedException {
    try (RedisSentinels redis = RedisSentinels.start(1);
        TopologyRun run = new TopologyRun(directory, redis.url() + "?durability=replicas:1")) {
      run.work(2);
      run.produce(TRAFFIC.plusSeconds(2));
      RedisProcess first = redis.primary();
      RedisProcess second =
          redis.servers().stream().filter(s -> s != first).findFirst().orElseThrow();
      second.stop();
      second.restart();
      redis.awaitReplicas(1);
      redis.failOver();
      redis.awaitReplicas(1);
      first.stop();
      first.restart();
      redis.awaitReplicas(1);
      // What ends while no replica can confirm it, the next primary may not know of.
      run.expectConfirmedKept();
    }
  }

  @Test
  void fullReplica_takesOver_refusesWhatIsNewAndLosesNothing() throws InterruptedException {
    try (RedisSentinels redis = RedisSentinels.start(1);
        TopologyRun run = new TopologyRun(directory, redis.url() + "?durability=replicas:1")) {
      RedisProcess primary = redis.primary();
      RedisProcess replica =
          redis.servers().stream().filter(s -> s != primary).findFirst().orElseThrow();
      replica.ask("CONFIG", "SET", "maxmemory", "1mb");
      run.work(2);
      run.produce(TRAFFIC);
      during(Duration.ofSeconds(1));
      primary.kill();
      redis.awaitPrimaryOtherThan(primary);
      HistoryReport report = run.expectNothingLost();
      assertThat(report.confirmed()).as("%s", report).isLessThan(report.scheduled());
    }
  }

  @Test
  void clusterFailOver_allReplicasConfirm_nothingIsLost() throws InterruptedException {
    try (RedisCluster redis = RedisCluster.start(3, 1);
        TopologyRun run = new TopologyRun(directory, redis.url() + "?durability=replicas:1")) {
      run.work(2);
      run.produce(TRAFFIC);
      during(Duration.ofSeconds(1));
      String lane = "{punctual:" + TopologyRun.QUEUE + ":0}";
      RedisProcess former = redis.primaryOf(lane);
      former.kill();
      redis.awaitPrimaryOtherThan(former, lane);
      former.restart();
      run.expectNothingLost();
    }
  }

  @Test
  void clusterSlots_movedToANewNodeAndBack_nothingIsLostOrTwice() {
    try (RedisCluster redis = RedisCluster.start(3, 0);
        TopologyRun run = new TopologyRun(directory, redis.url())) {
      run.work(2);
      run.produce(TRAFFIC);
      RedisProcess added = redis.addPrimary(RedisProcess.builder());
      List<RedisProcess> former = redis.nodes().subList(0, 3);
      long begin = System.nanoTime();
      do {
        for (int lane = 0; lane < 8; lane++) {
          redis.migrate("{punctual:" + TopologyRun.QUEUE + ":" + lane + "}", added);
        }
        for (int lane = 0; lane < 8; lane++) {
          redis.migrate("{punctual:" + TopologyRun.QUEUE + ":" + lane + "}", former.get(lane % 3));
        }
      } while (!isOver(begin));
      run.expectClean();
    }
  }

  @Test
  void clusterRollingRestart_allReplicasConfirm_nothingIsLost() {
    try (RedisCluster redis = RedisCluster.start(3, 1);
        TopologyRun run = new TopologyRun(directory, redis.url() + "?durability=replicas:1")) {
      run.work(2);
      run.produce(TRAFFIC.plusSeconds(4));
      for (RedisProcess primary : redis.nodes().subList(0, 3)) {
        RedisProcess replica = redis.replicasOf(primary).get(0);
        replica.ask("CLUSTER", "FAILOVER");
        redis.awaitRole(replica, "master");
        redis.awaitReplicas();
        primary.stop();
        primary.restart();
        redis.awaitReplicas();
      }
      run.expectNothingLost();
    }
  }

  @Test
  void partitionOfClientsAndServer_heals_nothingIsLost() throws InterruptedException {
    try (RedisProcess redis = RedisProcess.start();
        FaultProxy proxy = FaultProxy.to("127.0.0.1", redis.port());
        TopologyRun run =
            new TopologyRun(directory, "redis://127.0.0.1:" + proxy.port() + "?" + QUICK)) {
      run.work(2);
      run.produce(TRAFFIC);
      during(Duration.ofSeconds(1));
      proxy.blackHole();
      during(FAULT);
      proxy.heal();
      run.expectClean();
    }
  }

  @Test
  void partitionOfPrimaryAndReplica_changesAreStoredNotConfirmed() throws InterruptedException {
    try (RedisProcess redis = RedisProcess.start();
        FaultProxy proxy = FaultProxy.to("127.0.0.1", redis.port());
        RedisProcess replica =
            RedisProcess.builder().config("replicaof", "127.0.0.1 " + proxy.port()).start();
        TopologyRun run =
            new TopologyRun(directory, redis.url() + "?durability=replicas:1&" + QUICK)) {
      run.work(2);
      run.produce(TRAFFIC);
      during(Duration.ofSeconds(1));
      proxy.blackHole();
      during(FAULT);
      proxy.heal();
      HistoryReport report = run.expectNothingLost();
      assertThat(report.confirmed()).as("%s", report).isLessThan(report.scheduled());
      assertThat(replica.isRunning()).isTrue();
    }
  }

  @Test
  void serverClock_anHourAhead_leasesEndEarlyAndNothingIsLost()
      throws InterruptedException, IOException {
    stepClock("+3600", "+3600");
  }

  @Test
  void serverClock_anHourBack_waitsAndLosesNothing() throws InterruptedException, IOException {
    stepClock("-3600", "+0");
  }

  private void stepClock(String there, String back) throws InterruptedException, IOException {
    assumeTrue(
        Files.isExecutable(DEBIAN_REDIS) && Files.exists(FAKETIME),
        "Needs faketime and a redis-server that is linked dynamically; on Debian: apt-get install"
            + " faketime redis-server");
    Path clock = directory.resolve("clock");
    Files.writeString(clock, "+0");
    try (RedisProcess redis =
            RedisProcess.builder()
                .program(DEBIAN_REDIS)
                .environment("LD_PRELOAD", FAKETIME + LIBC)
                .environment("FAKETIME_TIMESTAMP_FILE", clock.toString())
                .environment("FAKETIME_NO_CACHE", "1")
                .environment("FAKETIME_DONT_FAKE_MONOTONIC", "1")
                .start();
        TopologyRun run = new TopologyRun(directory, redis.url())) {
      run.work(2);
      run.produce(TRAFFIC);
      during(Duration.ofSeconds(1));
      Files.writeString(clock, there);
      during(FAULT);
      Files.writeString(clock, back);
      run.expectNothingLost();
    }
  }
}
