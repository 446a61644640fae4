package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.kit.history.HistoryReport;
import io.punctual.kit.kill.KillPlan;
import io.punctual.kit.kill.KillRun;
import io.punctual.kit.kill.Traffic;
import io.punctual.kit.redis.RedisCluster;
import io.punctual.kit.redis.RedisProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests messages while nodes of a Cluster fail, join and leave, and slots move. */
@Tag("faults")
@Timeout(value = 2, unit = TimeUnit.HOURS)
final class ClusterFailOverTest {
  private static final int PARTITIONS = 8;
  private static final int PRIMARIES = 3;
  private static final Duration TRAFFIC = KillPlan.LENGTH.plusSeconds(3);
  private static final Duration DETECTION = Duration.ofMillis(RedisCluster.NODE_TIMEOUT_MILLIS);
  private static final String CONFIRMED =
      "?durability=replicas:1&timeout=1s&durabilityTimeout=500ms";

  /** Long time-outs for a test in which no server fails and a slot moves within milliseconds. */
  private static final String CONFIRMED_IN_THE_END =
      "?durability=replicas:1&timeout=20s&durabilityTimeout=10s";

  private static final String UNCONFIRMED = "?timeout=1s&durabilityTimeout=500ms";

  @TempDir private Path directory;
  private KillPlan plan;

  @BeforeEach
  void plan(TestInfo test) {
    plan = KillPlan.ofFaults("ClusterFailOverTest." + test.getDisplayName());
  }

  private KillRun begin(String url) {
    KillRun run = new KillRun(directory, url, plan.seed());
    Traffic.during(TRAFFIC).start(run);
    plan.pause(Duration.ofSeconds(1));
    return run;
  }

  private static String partition(int partition) {
    return FaultyServers.keys(partition);
  }

  /**
   * Kills and restarts the primary of a partition; returns when it was killed, in {@link
   * System#nanoTime}.
   */
  private static long replace(RedisCluster redis, String partition) {
    RedisProcess former = redis.primaryOf(partition);
    long killed = System.nanoTime();
    former.kill();
    redis.awaitPrimaryOtherThan(former, partition);
    former.restart();
    return killed;
  }

  @Test
  void primaryKilled_allReplicasConfirm_nothingIsLost() {
    try (RedisCluster redis = RedisCluster.start(PRIMARIES, 1);
        KillRun run = begin(redis.url() + CONFIRMED)) {
      run.expectFailOver();
      replace(redis, partition(plan.anyOf(List.of(0, 3, 7))));
      run.judge().expectShortSilence(DETECTION).expectNothingLost();
    }
  }

  @Test
  void primaryKilled_noDurability_losesOnlyTheLastMoment() {
    try (RedisCluster redis = RedisCluster.start(PRIMARIES, 1);
        KillRun run = begin(redis.url() + UNCONFIRMED)) {
      long killed = replace(redis, partition(plan.anyOf(List.of(0, 3, 7))));
      run.judge().expectLostWithin(FaultyServers.REPLICA_LAG, killed);
    }
  }

  @Test
  void slots_movedToANewNodeThatIsRemovedAgain_nothingIsLostOrTwice() {
    try (RedisCluster redis = RedisCluster.start(PRIMARIES, 0);
        KillRun run = begin(redis.url() + UNCONFIRMED)) {
      moveThereAndBack(redis);
      System.out.println("longest silence: " + run.judge().expectClean().longestSilence());
    }
  }

  @Test
  void slots_movedWhileAllReplicasConfirm_nothingIsLostOrTwice() {
    try (RedisCluster redis = RedisCluster.start(PRIMARIES, 1)) {
      RedisProcess first = redis.nodes().get(0);
      RedisProcess second = redis.nodes().get(1);
      try (KillRun run = begin(redis.url() + CONFIRMED_IN_THE_END)) {
        plan.repeat(
            Duration.ofMillis(100),
            () -> {
              for (int partition = 0; partition < PARTITIONS; partition++) {
                String key = partition(partition);
                redis.migrate(key, redis.primaryOf(key) == first ? second : first);
              }
            });
        HistoryReport report = run.judge().expectClean();
        assertThat(report.confirmed()).isEqualTo(report.scheduled());
      }
    }
  }

  private void moveThereAndBack(RedisCluster redis) {
    plan.repeat(
        Duration.ofMillis(100),
        () -> {
          List<RedisProcess> former = redis.nodes();
          RedisProcess added = redis.addPrimary(RedisProcess.builder());
          for (int partition = 0; partition < PARTITIONS; partition++) {
            redis.migrate(partition(partition), added);
          }
          for (int partition = 0; partition < PARTITIONS; partition++) {
            redis.migrate(partition(partition), former.get(partition % PRIMARIES));
          }
          redis.remove(added);
        });
  }

  @Test
  void rollingRestart_allReplicasConfirm_nothingIsLost() {
    try (RedisCluster redis = RedisCluster.start(PRIMARIES, 1);
        KillRun run = begin(redis.url() + CONFIRMED)) {
      restartAll(redis);
      run.judge().expectNothingLost();
    }
  }

  @Test
  void rollingRestart_noDurability_nothingIsLost() {
    try (RedisCluster redis = RedisCluster.start(PRIMARIES, 1);
        KillRun run = begin(redis.url() + UNCONFIRMED)) {
      restartAll(redis);
      run.judge().expectNothingLost();
    }
  }

  /** Restarts each primary after its replica has taken over with all changes of the primary. */
  private static void restartAll(RedisCluster redis) {
    for (RedisProcess primary : redis.nodes().subList(0, PRIMARIES)) {
      RedisProcess replica = redis.replicasOf(primary).get(0);
      replica.ask("CLUSTER", "FAILOVER");
      redis.awaitRole(replica, "master");
      redis.awaitReplicas();
      primary.stop();
      primary.restart();
      redis.awaitReplicas();
    }
  }
}
